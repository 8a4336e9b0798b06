"""Speed of the embedded stores and of archives on this machine: `python -m benchmarks.stores [FOLDER]`."""

from __future__ import annotations

import hashlib
import io
import random
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from ingest.document.records import DocumentRecord, Outcome
from ingest.export.index import Index, IndexedDocument, Record, open_index
from ingest.stores.ledger import open_ledger
from ingest.stores.objects import open_objects
from ingest.stores.sources import open_source


def report(what: str, count: int, action: Callable[[], object]) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    action()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"{what:<52} {count / wall:>10,.0f}/s  {1e3 * wall / count:>9.3f} ms  {1e3 * cpu / count:>9.3f} CPU ms")


def objects(folder: Path, count: int = 500) -> None:
    store = open_objects(str(folder / "objects"))
    data = random.Random(1).randbytes(200_000)
    keys = [f"documents/{n % 256:02x}/{n:05d}/document.json" for n in range(count)]
    report("objects: put 200 kB", count, lambda: [store.put(key, data) for key in keys])
    report(
        "objects: put 200 kB if absent, all there", count, lambda: [store.put(k, data, if_absent=True) for k in keys]
    )
    report("objects: get 200 kB", count, lambda: [store.get(key) for key in keys])
    report("objects: stat", count, lambda: [store.stat(key) for key in keys])
    report("objects: list", count, lambda: list(store.list("")))


def ledger(folder: Path, count: int = 50_000) -> None:
    store = open_ledger(f"sqlite://{folder}/ledger.sqlite")
    ids = [hashlib.sha256(str(n).encode()).hexdigest() for n in range(count)]
    rows = [
        DocumentRecord(
            collection="c",
            doc_id=sha[:20],
            path=f"folder/of/papers/{sha[:12]}.pdf",
            sha256=sha,
            outcome=Outcome.CONVERTED,
            result_key=f"documents/{sha[:2]}/{sha}/0123456789abcdef/document.json",
            seen_run="run-1",
        )
        for sha in ids
    ]
    report("ledger: upsert, one call", count, lambda: store.upsert(rows))
    changed = [msgspec.structs.replace(row, attempts=row.attempts + 1) for row in rows]
    report("ledger: upsert changed rows, one call", count, lambda: store.upsert(changed))

    def in_calls_of(size: int) -> None:
        for n in range(0, 5000, size):
            store.upsert(rows[n : n + size] if size > 1 else changed[n : n + size])

    report("ledger: upsert, calls of 20 rows", 5000, lambda: in_calls_of(20))
    report("ledger: upsert, a call of one row", 5000, lambda: in_calls_of(1))
    report("ledger: get", count, lambda: store.get("c", [row.doc_id for row in rows]))
    report("ledger: documents", count, lambda: list(store.documents("c")))
    report("ledger: collections", 100, lambda: [store.collections() for _ in range(100)])
    store.close()


def _corpus(documents: int, records: int) -> Iterator[IndexedDocument]:
    """Texts of random words, whose frequencies fall as those of a language do."""
    chance = random.Random(2)
    vocabulary = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 10))) for _ in range(30_000)]
    weights = [1 / (rank + 10) for rank in range(len(vocabulary))]
    for d in range(documents):
        words = iter(chance.choices(vocabulary, weights, k=records * 60))
        yield IndexedDocument(
            collection="c",
            doc_id=f"{d:020d}",
            path=f"papers/{d}.pdf",
            title=f"Paper number {d}",
            sha256="0" * 64,
            fingerprint="f" * 16,
            run_id="run-1",
            records=[
                Record(
                    record_id=f"{d}:{n}",
                    ref=f"#/texts/{n}",
                    label="text" if n % 10 else "subtitle-level-1",
                    text=" ".join(next(words) for _ in range(60 if n % 10 else 5)),
                    page=n // 20 + 1,
                    bbox=(72.0, 100.0, 520.0, 140.0),
                    section="Methods > Data",
                )
                for n in range(records)
            ],
        )


def index(folder: Path, documents: int = 300, records: int = 150) -> None:
    store: Index = open_index(f"tantivy://{folder}/index")
    corpus = list(_corpus(documents, records))
    count = sum(len(document.records) for document in corpus)
    report(f"index: publish {documents} documents, per record", count, lambda: store.publish("c", "r", corpus, []))
    report("index: publish one document again", 1, lambda: store.publish("c", "r", corpus[:1], []))
    size = sum(path.stat().st_size for path in (folder / "index").rglob("*") if path.is_file())
    print(f"index: {size / 1e6:.1f} MB for {count} records")
    chance = random.Random(3)
    texts = [record.text.split() for record in chance.choices(corpus[0].records, k=200)]
    one = [chance.choice(words) for words in texts]
    two = [" ".join(chance.sample(words, 2)) for words in texts]
    report("index: search one word", 200, lambda: [store.search(words) for words in one])
    report("index: search two words", 200, lambda: [store.search(words) for words in two])
    report("index: search a phrase", 200, lambda: [store.search(f'"{" ".join(words[:3])}"') for words in texts])
    report("index: published", documents, lambda: store.published("c"))
    store.close()


def archives(folder: Path, members: int = 50_000) -> None:
    path = folder / "many.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for n in range(members):
            packed.writestr(f"{n:06d}.pdf", b"%PDF")
    report("zip: open and list, per member", members, lambda: list(open_source(str(path)).list()))
    tar(folder / "some.tar")
    tar(folder / "some.tar.gz")


def tar(path: Path, megabytes: int = 500) -> None:
    data = random.Random(4).randbytes(1_000_000)
    with tarfile.open(path, "w:gz" if path.suffix == ".gz" else "w") as archive:
        for n in range(megabytes):
            info = tarfile.TarInfo(f"{n}.pdf")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    source, copy = open_source(str(path)), path.with_name("copy")
    items = list(source.list())
    report(f"{path.name}: list and hash, per MB", megabytes, lambda: list(source.list()))
    report(f"{path.name}: a worker's first document", 1, lambda: source.fetch(items[0], copy))
    report(f"{path.name}: fetch 1 MB", 100, lambda: [source.fetch(item, copy) for item in items[:100]])


def main() -> None:
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as name:
        for part in (objects, ledger, index, archives):
            part(Path(name))


if __name__ == "__main__":
    main()

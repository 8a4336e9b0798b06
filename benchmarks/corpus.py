"""Speed of whole runs, by stage: `python -m benchmarks.corpus FOLDER [--workers N] [--repeat N]`.

Ingests the folder from nothing with `ingest run`, in a process and a home of its own, and prints a table. CPU-seconds
are those of all processes; of several repeats the run with the median total is shown.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import msgspec


def run(folder: Path, workers: int | None) -> dict[str, Any]:
    """The report of one run."""
    command = [sys.executable, "-m", "ingest", "run", "--collection", "benchmark", "--source", str(folder), "--json"]
    command += ["--workers", str(workers)] if workers else []
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(command, env=os.environ | {"INGEST_HOME": home}, stdout=subprocess.PIPE, check=False)
    if not done.stdout:
        sys.exit(f"ingest run ended with status {done.returncode} and no report")
    report: dict[str, Any] = msgspec.json.decode(done.stdout)
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="PDFs")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--repeat", type=int, default=1)
    options = parser.parse_args()
    reports = sorted((run(options.folder, options.workers) for _ in range(options.repeat)), key=lambda r: r["cpu_s"])
    report = reports[len(reports) // 2]
    pages, total = report["pages"]["converted"], report["cpu_s"]
    print(" ".join(f"{count} {what}" for what, count in report["documents"].items() if count))
    print(f"{pages} pages in {report['tts_s']:.0f} s: {report['effective_pages_per_s']:.1f} pages/s\n")
    print(f"{'stage':<12}{'CPU s':>8}{'ms/page':>9}{'pages/CPU s':>13}{'share':>8}")
    stages = {name: cpu for name, cpu in report["stage_cpu_s"].items() if cpu}
    stages["the rest"] = total - sum(stages.values())
    for name, cpu in [*sorted(stages.items(), key=lambda s: -s[1]), ("all", total)]:
        print(f"{name:<12}{cpu:>8.1f}{1e3 * cpu / pages:>9.2f}{pages / cpu:>13.0f}{cpu / total:>8.0%}")


if __name__ == "__main__":
    main()

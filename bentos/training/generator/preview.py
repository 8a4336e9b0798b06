"""Looks at truth: pages with boxes in the colour of their label:

`python -m bentos.training.generator.preview JSON… OUT.png`.

With `--order`, a line through the elements in reading order.
"""

# ruff: noqa: SIM905  (list of colours)

from __future__ import annotations

import json
import sys
from pathlib import Path

import pypdfium2
from PIL import Image, ImageDraw

from ingest.document.labels import LABELS

COLORS = (
    "#e6194b #f58231 #ffb000 #7fbf00 #bfef45 #d000d0 #ff66ff #3c6fd8 #008080 #00e0e0 #800000 #2ca02c #9a6324 #808000 "
    "#5f5fff "
    "#f032e6 #999999"
).split()
_BY_LABEL = {label.value: COLORS[i] for i, label in enumerate(LABELS)}


def page_image(pdf: Path, truth: dict[str, object], number: int, scale: float, order: bool) -> Image.Image:
    """A page with its elements framed; untrusted ones dashed lightly."""
    page = pypdfium2.PdfDocument(pdf)[number - 1]
    image: Image.Image = page.render(scale=scale).to_pil().convert("RGB")
    draw = ImageDraw.Draw(image, "RGBA")
    entry = next(p for p in truth["pages"] if p["page"] == number)  # type: ignore[attr-defined]
    last = None
    for e in entry["elements"]:
        x0, y0, x1, y1 = e["bbox"]
        box = (x0 * scale, image.height - y1 * scale, x1 * scale, image.height - y0 * scale)
        color = _BY_LABEL[e["label"]]
        trusted = not e["trust"].startswith("low")
        draw.rectangle(
            box, outline=color, width=2 if trusted else 1, fill=color + "30" if trusted and e["text"] else None
        )
        middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
        if order and last:
            draw.line([last, middle], fill="#ff000090", width=1)
        last = middle
    return image


def sheet(images: list[Image.Image], columns: int = 6) -> Image.Image:
    """Pages side by side."""
    width, height = max(i.width for i in images), max(i.height for i in images)
    rows = -(-len(images) // columns)
    out = Image.new("RGB", (min(columns, len(images)) * (width + 4), rows * (height + 4)), "#404040")
    for k, image in enumerate(images):
        out.paste(image, (k % columns * (width + 4), k // columns * (height + 4)))
    return out


def main(arguments: list[str]) -> None:
    order = "--order" in arguments
    *paths, out = [a for a in arguments if not a.startswith("--")]
    images = []
    for path in map(Path, paths):
        truth = json.loads(path.read_text("utf-8"))
        images += [page_image(path.with_suffix(".pdf"), truth, p["page"], 0.62, order) for p in truth["pages"][:6]]
    sheet(images).save(out)


if __name__ == "__main__":
    main(sys.argv[1:])

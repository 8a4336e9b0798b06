"""Samples that cannot be converted as they are: a scan, an encrypted file, a broken one."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pypdfium2
from PIL import Image, ImageFilter
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from bentos.training.generator.samples.expect import Expected

PASSWORD = "low water"
DPI = 110

LETTER = """Port Ansgar, 14 February 1962

To the Director of the Skerry Institute

Dear Sir,

The gauge at Gull Stack has stopped for the second time this winter. On Monday last I rowed
out with the baker's son, since the motor would not start, and found the float frozen to the
wall of the well. We poured in three kettles of hot water, which we had brought from the light,
and it came free towards noon.

The paper of eleven days shows a straight line and is of no use, except that the pen was
perfectly horizontal, which I mention for the workshop.

I read the staff at the following hours:

        Monday        11.40        2.31 m        falling
        Monday        14.05        1.12 m        slack
        Tuesday       08.15        0.88 m        slack

I should be glad of a heater, of a longer ladder, and of some tobacco for the baker's son.

                                                Yours faithfully,

                                                K. A. Weil
                                                Keeper"""

MINUTES = """MINUTES OF THE 212TH MEETING

Present: Weil (chair), Sandgren, Brandvold, Halloran. Excused: the harbour master.

1. The minutes of the 211th meeting were read and approved, with the word "dry" struck out.

2. Heater for Gull Stack. The workshop can make one from a ship's kettle for 40 crowns.
   Agreed. Mrs Sandgren asks that it be switched off in summer.

3. Ladder. Agreed.

4. Tobacco. The chair left the room. Agreed in his absence.

5. Any other business. The cat of the tide house has had kittens. Each station may apply
   for one, in writing, with a statement of mice.

The meeting closed at low water."""


def make_scan(path: Path) -> Expected:
    """Two typed pages as photographs: turned a little, blurred, with dust and shade; no text layer."""
    canvas = Canvas(str(path), pagesize=A4, invariant=1)
    canvas.setTitle("Scan 0047")
    rng = np.random.default_rng(47)
    for text, angle in ((LETTER, 1.3), (MINUTES, -0.8)):
        image = _photograph(_typed(text), angle, rng)
        canvas.drawImage(ImageReader(image), 0, 0, A4[0], A4[1])
        canvas.showPage()
    canvas.save()
    return Expected("rejected", "needs-ocr", pages=2)


def _typed(text: str) -> Image.Image:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1)
    lines = canvas.beginText(70, A4[1] - 90)
    lines.setFont("Courier", 8.6)
    lines.setLeading(14)
    lines.textLines(text, trim=0)
    canvas.drawText(lines)
    canvas.save()
    page = pypdfium2.PdfDocument(buffer.getvalue())[0]
    image: Image.Image = page.render(scale=DPI / 72, grayscale=True).to_pil()
    return image


def _photograph(page: Image.Image, angle: float, rng: np.random.Generator) -> Image.Image:
    turned = page.rotate(angle, resample=Image.Resampling.BICUBIC, fillcolor=255).filter(ImageFilter.GaussianBlur(0.6))
    grey = np.asarray(turned, np.float64)
    height, width = grey.shape
    shade = 226 + 20 * np.linspace(0, 1, width)[None, :] - 14 * np.linspace(0, 1, height)[:, None]
    grey = 40 + (grey / 255) * (shade - 40) + rng.normal(0, 5, grey.shape)
    for x, y in zip(rng.integers(0, width, 90), rng.integers(0, height, 90), strict=True):
        grey[y : y + 2, x : x + 2] -= 90
    levels = np.clip(np.round(grey / 17) * 17, 0, 255).astype(np.uint8)  # sixteen greys, as old scanners gave
    return Image.fromarray(levels)


def make_encrypted(path: Path) -> Expected:
    """A letter that opens only with a password."""
    lock = StandardEncryption(PASSWORD, ownerPassword=PASSWORD + "!", strength=128)
    canvas = Canvas(str(path), pagesize=A4, invariant=1, encrypt=lock)
    canvas.setTitle("Salaries 2023")
    canvas.setFont("Times-Roman", 12)
    canvas.drawString(90, 700, "Salaries of the Skerry Institute, 2023. Confidential.")
    canvas.showPage()
    canvas.save()
    return Expected("rejected", "encrypted")


def make_broken(path: Path) -> Expected:
    """The first third of a file: a download that stopped."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1)
    canvas.setTitle("Tide tables 2024")
    for month in range(1, 13):
        canvas.setFont("Times-Roman", 12)
        canvas.drawString(90, 760, f"Tide tables for Port Ansgar, month {month} of 2024")
        for day in range(1, 29):
            canvas.drawString(
                90, 740 - 18 * day, f"{day:2d}   high water {(day * 49 + month * 7) % 720 // 60:02d}:{day:02d}"
            )
        canvas.showPage()
    canvas.save()
    whole = buffer.getvalue()
    path.write_bytes(whole[: len(whole) // 3])
    return Expected("rejected", "broken-pdf")

"""Small PDFs made on the spot."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

TEXT = (
    "the survey of the northern harbour began when the ice had gone and the pilots could read the old marks again "
    "each station kept its own book of tides and winds and sent a copy to the office before the end of the month"
)
WORDS = TEXT.split()


def paragraph(seed: int, lines: int = 8) -> list[str]:
    """Lines of about eighty characters, other words for every seed."""
    made = []
    for line in range(lines):
        start = (7 * seed + 11 * line) % len(WORDS)
        words = [WORDS[(start + k * (1 + seed % 5)) % len(WORDS)] for k in range(14)]
        made.append(" ".join(words).capitalize() + ".")
    return made


def text_pdf(path: Path, pages: int = 1, *, seed: int = 0, password: str | None = None) -> Path:
    """A PDF with a heading and paragraphs on every page; the same seed gives the same bytes."""
    encryption = StandardEncryption(password, ownerPassword="owner") if password else None
    canvas = Canvas(str(path), pagesize=A4, invariant=1, encrypt=encryption)
    for page in range(1, pages + 1):
        canvas.setFont("Times-Bold", 14)
        canvas.drawString(72, 770, f"{page} Observations of station {seed + page}")
        canvas.setFont("Times-Roman", 10)
        y = 745.0
        for block in range(3):
            for line in paragraph(seed * 31 + page * 3 + block):
                canvas.drawString(72, y, line)
                y -= 12
            y -= 8
        canvas.drawCentredString(297, 40, str(page))
        canvas.showPage()
    canvas.save()
    return path


def map_pdf(path: Path, dots: int) -> Path:
    """A page of text, and one of text and so many dots: `dots` + 1 objects."""
    canvas = Canvas(str(path), pagesize=A4, invariant=1)
    for page, drawn in ((1, 0), (2, dots)):
        canvas.drawString(72, 770, f"Sheet {page} of the survey of the coast, with all soundings in fathoms")
        for dot in range(drawn):
            canvas.rect(72 + 4 * (dot % 100), 100 + 6 * (dot // 100), 2, 2, stroke=0, fill=1)
        canvas.showPage()
    canvas.save()
    return path


def scan_pdf(path: Path) -> Path:
    """A page that is one big image."""
    canvas = Canvas(str(path), pagesize=A4, invariant=1)
    rows = b"".join(bytes((x * y) % 251 for x in range(60)) for y in range(80))
    from PIL import Image
    from reportlab.lib.utils import ImageReader

    canvas.drawImage(ImageReader(Image.frombytes("L", (60, 80), rows)), 30, 30, 535, 780)
    canvas.showPage()
    canvas.save()
    return path


def blank_pdf(path: Path, pages: int = 1) -> Path:
    canvas = Canvas(str(path), pagesize=A4, invariant=1)
    for _ in range(pages):
        canvas.showPage()
    canvas.save()
    return path


def coded_pdf(path: Path, strings: Sequence[tuple[str, bytes, float, float]]) -> Path:
    """A page of strings (font, glyph numbers, x, y) in 10 points, in fonts that do not say what their glyphs are.

    The font "drawn" is of Type 3, and all its glyphs are boxes.
    """
    names = list(dict.fromkeys(font for font, *_ in strings))
    content = "".join(
        f"BT /F{names.index(font)} 10 Tf {x:g} {y:g} Td <{numbers.hex()}> Tj ET\n" for font, numbers, x, y in strings
    )
    fonts = " ".join(f"/F{k} {5 + 2 * k} 0 R" for k in range(len(names)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Contents 4 0 R /Resources << /Font << {fonts} >> >> >>",
        f"<< /Length {len(content)} >>\nstream\n{content}endstream",
    ]
    widths = "/FirstChar 0 /LastChar 127 /Widths [" + "500 " * 128 + "]"
    for k, name in enumerate(names):
        below = f"{6 + 2 * k} 0 R"
        if name == "drawn":
            glyphs = " ".join(f"/g{n}" for n in range(128))
            procedures = " ".join(f"/g{n} {below}" for n in range(128))
            objects.append(
                f"<< /Type /Font /Subtype /Type3 /FontMatrix [.001 0 0 .001 0 0] /FontBBox [0 0 500 700] {widths} "
                f"/Encoding << /Differences [0 {glyphs}] >> /CharProcs << {procedures} >> >>"
            )
            box = "500 0 50 0 450 700 d1 50 0 400 700 re f"
            objects.append(f"<< /Length {len(box)} >>\nstream\n{box}\nendstream")
        else:
            objects.append(
                f"<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+{name} {widths} /FontDescriptor {below} >>"
            )
            objects.append(
                f"<< /Type /FontDescriptor /FontName /ABCDEF+{name} /Flags 4 /FontBBox [0 -200 1000 800] "
                "/Ascent 800 /Descent -200 /CapHeight 700 /ItalicAngle 0 /StemV 50 >>"
            )
    made, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(made))
        made += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    end = f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n{table}trailer << /Size {len(places) + 1} /Root 1 0 R >>\n"
    path.write_bytes(made + f"{end}startxref\n{len(made)}\n%%EOF\n".encode())
    return path


def drawn(pages: Sequence[Sequence[tuple[float, float, str, float, str]]]) -> bytes:
    """A PDF of strings: for each page (x, y, font, size, text), points from the bottom left."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1)
    for page in pages:
        for x, y, font, size, text in page:
            canvas.setFont(font, size)
            canvas.drawString(x, y, text)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()

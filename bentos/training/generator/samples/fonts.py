"""The fonts of the samples: reportlab's standard ones, and small subsets of open fonts that lie in `fonts/`.

The subsets were made from Debian's packages fonts-crosextra-caladea, fonts-noto-core and
fonts-noto-cjk by `python -m bentos.training.generator.samples.fonts`; making the samples needs only the subsets.
"""

from __future__ import annotations

import io
from pathlib import Path

from reportlab.lib.fonts import addMapping
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfbase.ttfonts import TTFont

FOLDER = Path(__file__).parent / "fonts"

LATIN = "".join(map(chr, [*range(0x20, 0x7F), *range(0xA0, 0x100)])) + "–—‘’“”„†‡•…‰′″€−×≤≥≈→ﬁﬂŌōŠšŽžČčŁł"
CYRILLIC = LATIN + "".join(map(chr, range(0x400, 0x460))) + "№"
HEBREW = "".join(map(chr, [0x20, *range(0x5D0, 0x5EB), 0x5BE])) + "0123456789.,:;!?-–()\"'/%"

DEBIAN = {
    "Caladea-Regular": ("truetype/crosextra/Caladea-Regular.ttf", 0, LATIN),
    "Caladea-Italic": ("truetype/crosextra/Caladea-Italic.ttf", 0, LATIN),
    "Caladea-Bold": ("truetype/crosextra/Caladea-Bold.ttf", 0, LATIN),
    "NotoSans-Regular": ("truetype/noto/NotoSans-Regular.ttf", 0, CYRILLIC),
    "NotoSans-Bold": ("truetype/noto/NotoSans-Bold.ttf", 0, CYRILLIC),
    "NotoSansHebrew-Regular": ("truetype/noto/NotoSansHebrew-Regular.ttf", 0, HEBREW),
    "NotoSansHebrew-Bold": ("truetype/noto/NotoSansHebrew-Bold.ttf", 0, HEBREW),
    "NotoSansCJK-Regular": ("opentype/noto/NotoSansCJK-Regular.ttc", 0, ""),
    "NotoSansCJK-Bold": ("opentype/noto/NotoSansCJK-Bold.ttc", 0, ""),
}
"""Name -> file below Debian's font folder, number in its collection, characters ("": those of the CJK sample)."""

_MAXP = (
    "maxZones maxTwilightPoints maxStorage maxFunctionDefs maxInstructionDefs maxStackElements maxSizeOfInstructions "
    "maxPoints maxContours maxCompositePoints maxCompositeContours maxComponentElements maxComponentDepth"
)
"""Fields of a TrueType `maxp` table that a CFF one lacks."""

_FAMILIES = {
    "Caladea": ("Regular", "Bold", "Italic", "Bold"),
    "NotoSans": ("Regular", "Bold", "Regular", "Bold"),
    "NotoSansHebrew": ("Regular", "Bold", "Regular", "Bold"),
    "NotoSansCJK": ("Regular", "Bold", "Regular", "Bold"),
}


def register() -> None:
    """Makes the families known to reportlab: <b> and <i> work in paragraphs set in `Family-Regular`."""
    for name in DEBIAN:
        registerFont(TTFont(name, str(FOLDER / f"{name}.ttf")))
    for family, (regular, bold, italic, both) in _FAMILIES.items():
        for key in (family, f"{family}-Regular"):
            addMapping(key, 0, 0, f"{family}-{regular}")
            addMapping(key, 1, 0, f"{family}-{bold}")
            addMapping(key, 0, 1, f"{family}-{italic}")
            addMapping(key, 1, 1, f"{family}-{both}")


def make_subset(source: Path, number: int, characters: str, target: Path) -> None:
    """Writes a TrueType font with only `characters`, without hints; CFF outlines become quadratic ones."""
    from fontTools.pens.cu2quPen import Cu2QuPen
    from fontTools.pens.ttGlyphPen import TTGlyphPen
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont as Font
    from fontTools.ttLib import newTable

    font = Font(source, fontNumber=number, recalcTimestamp=False)
    options = Options()
    options.hinting = False
    options.layout_features = []
    options.name_IDs = [0, 1, 2, 4, 6, 13, 14]
    options.drop_tables += ["GSUB", "GPOS", "GDEF", "VORG", "vhea", "vmtx", "BASE", "DSIG"]
    subsetter = Subsetter(options)
    subsetter.populate(text=characters)
    subsetter.subset(font)
    if "CFF " in font:
        glyphs = font.getGlyphSet()
        outlines = {}
        for name in font.getGlyphOrder():
            pen = TTGlyphPen(glyphs)
            glyphs[name].draw(Cu2QuPen(pen, 1.0, reverse_direction=True))
            outlines[name] = pen.glyph()
        font["loca"], font["glyf"] = newTable("loca"), newTable("glyf")
        font["glyf"].glyphOrder = font.getGlyphOrder()
        font["glyf"].glyphs = outlines
        maxp = font["maxp"]
        maxp.tableVersion = 0x00010000
        for field in _MAXP.split():
            setattr(maxp, field, 1 if field == "maxZones" else 0)
        del font["CFF "]
        font.sfntVersion = "\x00\x01\x00\x00"
        font["post"].formatType = 3.0
    buffer = io.BytesIO()
    font.save(buffer)
    target.write_bytes(buffer.getvalue())


def main() -> None:
    from bentos.training.generator.samples import world

    FOLDER.mkdir(exist_ok=True)
    for name, (path, number, characters) in DEBIAN.items():
        target = FOLDER / f"{name}.ttf"
        make_subset(Path("/usr/share/fonts") / path, number, characters or world.characters(), target)
        print(f"{target.name}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()

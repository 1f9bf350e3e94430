"""Make the font that contracts are set in as PDF: a subset of Noto Sans CJK SC with TrueType outlines.

    python scripts/make_contract_font.py NotoSansCJK-Regular.ttc optimizer/contract/fonts/NotoSansSC-GB2312.ttf

TrueType outlines are embedded under plain glyph numbers, so that every PDF reader finds the text again.
"""

import argparse
from pathlib import Path

from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTCollection, TTFont, newTable

FAMILY = "Noto Sans CJK SC"
#: Signs beside Latin and GB 2312 that documents use.
SIGNS = "★☆☐☑✓✗□■●○·•–—…‘’“”≤≥≠×÷±°²³→←↑↓µΩ€£¥§¶〔〕【】「」『』〓￥℃−"
#: Largest distance between a cubic and its quadratic outline, in thousandths of the size.
MAX_ERROR = 1.0
KEPT_NAMES = [0, 1, 2, 3, 4, 5, 6, 13, 14]


def main() -> None:
    """Read the options, subset, convert, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("collection", type=Path, help="NotoSansCJK-Regular.ttc")
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    fonts = TTCollection(given.collection).fonts
    font = next(found for found in fonts if found["name"].getDebugName(4) == FAMILY)
    subset(font)
    to_true_type(font)
    font.save(given.out)


def characters() -> set[int]:
    """Latin, GB 2312 and the signs."""
    codes = {*range(0x20, 0x7F), *range(0xA0, 0x180), *map(ord, SIGNS)}
    for row in range(0xA1, 0xF8):
        for cell in range(0xA1, 0xFF):
            try:
                codes.add(ord(bytes((row, cell)).decode("gb2312")))
            except UnicodeDecodeError:
                continue
    return codes


def subset(font: TTFont) -> None:
    """Keep these characters, drop hints and layout tables."""
    options = Options()
    options.hinting, options.notdef_outline, options.layout_features = False, True, []
    options.name_IDs = KEPT_NAMES
    options.drop_tables += ["BASE", "VORG", "vhea", "vmtx", "GSUB", "GPOS"]
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=characters())
    subsetter.subset(font)


def to_true_type(font: TTFont) -> None:
    """Replace the cubic outlines by quadratic ones."""
    outlines, order = font.getGlyphSet(), font.getGlyphOrder()
    glyphs = {}
    for name in order:
        pen = TTGlyphPen(outlines)
        outlines[name].draw(Cu2QuPen(pen, MAX_ERROR, reverse_direction=True))
        glyphs[name] = pen.glyph()
    glyf, maxp, post = newTable("glyf"), font["maxp"], font["post"]
    glyf.glyphOrder, glyf.glyphs = order, glyphs
    font["loca"], font["glyf"] = newTable("loca"), glyf
    maxp.tableVersion, maxp.numGlyphs = 0x00010000, len(order)
    for field in ("maxZones", "maxTwilightPoints", "maxStorage", "maxFunctionDefs", "maxInstructionDefs"):
        setattr(maxp, field, 0)
    maxp.maxZones = 1
    for field in ("maxStackElements", "maxSizeOfInstructions", "maxComponentElements"):
        setattr(maxp, field, 0)
    post.formatType = 3.0
    del font["CFF "]
    font.sfntVersion = "\x00\x01\x00\x00"


if __name__ == "__main__":
    main()

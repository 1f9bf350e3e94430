"""The picture of a break-even surface: an SVG file of its own, with titles, legend and what must be known."""

from optimizer.app.breakeven import BreakEven, spans_name
from optimizer.domain.breaking import wrapped
from optimizer.domain.text import Language, Text
from optimizer.explain import texts
from optimizer.explain.breakeven import DOCUMENT_DAYS, DOCUMENT_HOURS, Span
from optimizer.reports.numbers import clean

HOURS_AXIS = Text("↑ Hours a day", "↑ 每天小时数")
DAYS_AXIS = Text(
    "→ Days in a row (d), whole months (mo); the ring is the document's point", "→ 连续天数、整月数；方框为文档所述的点"
)
#: Colours of the page's series (reports), for a picture that stands alone.
PALETTE = ("#1f5fa8", "#b8560f", "#2e7d4f", "#8a3a86", "#8a6d00", "#a02c3c", "#2b7f8c", "#5b5b66")
#: Where the drawing begins below the title and the name of its upright axis, and where the text below it does.
DRAWING_TOP, TEXT_TOP, LINE_HEIGHT = 36, 34, 16
#: Cells of a line, a Chinese character two of them: at 11 px a cell of a wide sans-serif takes 6.4 px.
LINE_CELLS = 110
ENTRIES_A_LINE = 4


def picture_of(found: BreakEven, language: Language) -> str:
    """The heat map as a file of its own: hours up, days across, the document's point ringed, the legend below."""
    from optimizer.reports.charts import Alt, heat_map

    surface = found.surface
    spans = list(dict.fromkeys(point.span for point in surface.points))
    hours = sorted({point.hours_per_day for point in surface.points})
    winners = {(point.span, point.hours_per_day): point.cheapest for point in surface.points}
    names = [name for name in surface.names if name in winners.values()]
    cells = [[_number(names, winners[span, hour]) for span in spans] for hour in hours]
    mark = (next(i for i, span in enumerate(spans) if span.days == DOCUMENT_DAYS), hours.index(DOCUMENT_HOURS))
    title = texts.BREAK_EVEN.say(language, work=clean(surface.work))
    alt = Alt("breakeven", title, " ".join(found.sentences(language)))
    columns = {span: _column(span, "en") for span in spans}
    drawn = heat_map(list(columns.values()), [str(hour) for hour in hours], cells, mark, alt)
    for span, column in columns.items():  # drawn in Latin letters: the drawing's font has no Chinese ones
        drawn = drawn.replace(f">{column}</text>", f">{_column(span, language)}</text>")
    legend = [f"{position + 1} {texts.NAMES[name].say(language)}" for position, name in enumerate(names)]
    rows = [legend[first : first + ENTRIES_A_LINE] for first in range(0, len(legend), ENTRIES_A_LINE)]
    said = [*(" · ".join(row) for row in rows), found.sentences(language)[0], *found.ordered_before(language)]
    return _standalone(drawn, title, (HOURS_AXIS.say(language), DAYS_AXIS.say(language)), said)


def _standalone(drawn: str, title: str, axes: tuple[str, str], said: list[str]) -> str:
    """An SVG file around a drawing of a page: its colours, title and axes, legend and what must be known below."""
    import re

    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawn)
    width, height = (float(box[1]), float(box[2])) if box else (720.0, 500.0)
    colours = "".join(f"--s{number + 1}:{colour};" for number, colour in enumerate(PALETTE))
    style = f":root{{{colours}--paper:#fff;--rule:#ccc;color:#222;font:11px sans-serif}}"
    heads = wrapped(title, LINE_CELLS)
    top = DRAWING_TOP + LINE_HEIGHT * (len(heads) - 1)
    below = [line for paragraph in said for line in wrapped(paragraph, LINE_CELLS)]
    lines = [_line(line, 14 + LINE_HEIGHT * row, ' font-weight="bold"') for row, line in enumerate(heads)]
    lines += [_line(axes[0], top - 4), _line(axes[1], top + height + 12)]
    lines += [_line(line, top + height + TEXT_TOP + LINE_HEIGHT * row) for row, line in enumerate(below)]
    total = top + height + TEXT_TOP + LINE_HEIGHT * len(below)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {total:g}" width="{width:g}" '
        f'height="{total:g}"><style>{style}</style><rect width="100%" height="100%" fill="#fff"/>'
        f'<svg y="{top:g}" width="{width:g}" height="{height:g}">{drawn}</svg>{"".join(lines)}</svg>\n'
    )


def _column(span: Span, language: Language) -> str:
    return spans_name(span, span, language).replace(" ", "")


def _line(words: str, y: float, more: str = "") -> str:
    from xml.sax.saxutils import escape

    return f'<text x="10" y="{y:g}"{more} fill="currentColor">{escape(words)}</text>'


def _number(names: list[str], name: str | None) -> int | None:
    return None if name is None else names.index(name)

"""The break-even surface: which term wins for how many days at how many hours a day."""

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from optimizer.reports import charts, texts, texts_page
from optimizer.reports.html.blocks import Picture, Section, Table, heads_of
from optimizer.reports.html.drawing import drawing
from optimizer.reports.numbers import UNKNOWN
from optimizer.reports.voice import Voice

#: What the document names as the point from which to compare (D0): two weeks at ten hours a day.
DOCUMENT_DAYS, DOCUMENT_HOURS = 14, 10
#: What the surface calls bare metal rented for any term.
BARE_METAL = "bare_metal"


def section(voice: Voice, breakeven: dict[str, Any]) -> Section:
    """The heat map with the document's point, and where one term overtakes another."""
    title = voice.say(texts_page.BREAK_EVEN)
    points = [point for point in breakeven.get("points", ()) if point.get("days") is not None]
    pictures = (_map(voice, title, points, breakeven),) if points else ()
    return Section("breakeven", title, pictures=pictures, tables=(_crossings(voice, breakeven),))


def _map(voice: Voice, title: str, points: list[dict[str, Any]], breakeven: dict[str, Any]) -> Picture:
    days = sorted({point["days"] for point in points})
    hours = sorted({point["hours_per_day"] for point in points})
    chosen = {(point["days"], point["hours_per_day"]): point.get("cheapest") for point in points}
    names = list(dict.fromkeys(name for name in chosen.values() if name is not None))
    number = {name: position for position, name in enumerate(names)}
    cells = [[number.get(chosen.get((day, hour))) for day in days] for hour in hours]
    marked = breakeven.get("document_point") or {}
    day, hour = marked.get("days", DOCUMENT_DAYS), marked.get("hours_per_day", DOCUMENT_HOURS)
    mark = (days.index(day), hours.index(hour)) if day in days and hour in hours else None
    values = "; ".join(f"{d} d × {h:g} h: {_name(voice, name)}" for (d, h), name in chosen.items())
    alt = charts.Alt("breakeven-chart", title, values)
    svg = charts.heat_map([str(d) for d in days], [f"{h:g}" for h in hours], cells, mark, alt)
    note = voice.say(texts_page.BREAK_EVEN_NOTE, days=day, hours=f"{hour:g}")
    legend = tuple((position, _name(voice, name)) for name, position in number.items())
    return drawing(title, svg, f"{voice.say(texts_page.BREAK_EVEN_AXES)} {note}", legend, is_numbered=True)


def _crossings(voice: Voice, breakeven: dict[str, Any]) -> Table:
    labels = (texts_page.TERM_FROM, texts_page.TERM_TO, texts_page.HOURS, texts_page.DAYS)
    told = [
        (_name(voice, one.get("from")), _name(voice, one.get("to")), voice.numbers.hours(one.get("hours_per_day")), one)
        for one in breakeven.get("crossings", ())
    ]
    rows = tuple(
        (*same, _span([one.get("days") for *_, one in group])) for same, group in groupby(told, key=lambda row: row[:3])
    )
    heads = heads_of(*(voice.say(label) for label in labels), numbers=(2, 3))
    return Table(voice.say(texts_page.CROSSINGS), heads, rows)


def _span(days: Iterable[float | None]) -> str:
    """The days of neighbouring crossings at the same hours: "28.8", or "1–62"."""
    known = [f"{day:g}" for day in days if day is not None]
    return "–".join(dict.fromkeys((known[0], known[-1]))) if known else UNKNOWN


def _name(voice: Voice, term: str | None) -> str:
    return voice.name({**texts.TERMS, BARE_METAL: texts.BARE_METAL}, term)

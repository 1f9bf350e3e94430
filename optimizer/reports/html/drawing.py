"""Putting a chart into a page: our own markup, marked as such once."""

from optimizer.reports.html.blocks import Picture


def drawing(
    title: str, svg: str, note: str, legend: tuple[tuple[int, str], ...] = (), *, is_numbered: bool = False
) -> Picture:
    """A chart with its legend and note; `svg` comes from optimizer.reports.charts, which escapes its texts."""
    from markupsafe import Markup

    return Picture(title, Markup(svg), note, legend, is_numbered)  # noqa: S704 - written by ElementTree

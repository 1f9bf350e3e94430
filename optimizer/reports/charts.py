"""Charts as inline SVG, drawn by matplotlib and tied to the page: its font, its colours, light or dark.

Colours are drawn as stand-ins that become the page's CSS variables (`--s1` ... `--s8`, `--paper`, `--rule`, the text
colour), so a chart follows the page's theme. No words stand in a drawing: titles, legends and units are the page's,
so that fonts and languages cannot break it. Every drawing carries a title and a description for those who cannot
see it.
"""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SERIES = 8
WIDTH_INCHES = 10.0
#: Width of a digit of the tick labels.
CHARACTER_INCHES = 0.09
SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
#: Stand-ins in the drawing and what the page puts in their place.
INK, PAPER, RULE = "#000000", "#0002ff", "#000300"
MOST_MONTH_LABELS = 13
#: Of a label such as 2027-01; there is room for fewer that are longer.
MONTH_LABEL_LETTERS = 7


@dataclass(frozen=True, slots=True)
class Alt:
    """What a drawing shows: a title and the figures in words."""

    key: str
    title: str
    description: str


def stacked_bars(labels: Sequence[str], series: Sequence[Sequence[float]], alt: Alt) -> str:
    """Bars by month, one colour a series, stacked in order."""
    totals = [sum(values) for values in zip(*series, strict=True)]
    figure, axes = _figure(2.7, _money(max(totals, default=0.0)))
    base = [0.0] * len(labels)
    for number, values in enumerate(series):
        axes.bar(range(len(labels)), values, bottom=base, color=_paint(number), edgecolor=PAPER, linewidth=0.8)
        base = [below + value for below, value in zip(base, values, strict=True)]
    _month_axis(axes, labels)
    return _embed(figure, alt)


def cash_bars(labels: Sequence[str], amounts: Sequence[float], budget: float | None, alt: Alt) -> str:
    """Cash by month as bars, the running total as a line, the budget as a dashed one."""
    positions = range(len(labels))
    totals = [sum(amounts[: month + 1]) for month in positions]
    figure, axes = _figure(2.7, _money(max([*totals, budget or 0.0])))
    axes.bar(positions, amounts, color=_paint(0), edgecolor=PAPER, linewidth=0.8)
    axes.plot(positions, totals, color=_paint(1), marker="o", markersize=3, linewidth=1.4)
    if budget is not None:
        axes.axhline(budget, color=INK, linestyle="--", linewidth=1)
    _month_axis(axes, labels)
    return _embed(figure, alt)


def memory_bar(parts: Sequence[float], usable_gib: float, alt: Alt) -> str:
    """One bar of a GPU's memory by part, against what is there."""
    figure, axes = _figure(0.7)
    left = 0.0
    for number, part in enumerate(parts):
        axes.barh(0, part, left=left, color=_paint(number), edgecolor=PAPER, linewidth=0.8)
        left += part
    axes.axvline(usable_gib, color=INK, linewidth=2)
    axes.set_xlim(0, max(usable_gib, left) * 1.02)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    return _embed(figure, alt)


def heat_map(
    columns: Sequence[str],
    rows: Sequence[str],
    cells: Sequence[Sequence[int | None]],
    mark: tuple[int, int] | None,
    alt: Alt,
) -> str:
    """Which of several choices is cheapest in each cell, by number and colour; `mark` rings (column, row)."""
    from matplotlib.patches import Rectangle

    figure, axes = _figure(0.6 + 0.26 * len(rows), max(rows, key=len, default=""))
    for row, line in enumerate(cells):
        for column, choice in enumerate(line):
            if choice is None:
                continue
            corner = (column - 0.5, row - 0.5)
            axes.add_patch(Rectangle(corner, 1, 1, facecolor=_paint(choice), edgecolor=PAPER, linewidth=0.8))
            axes.text(column, row, str(choice + 1), ha="center", va="center", fontsize=9, color=PAPER)
    if mark is not None:
        corner = (mark[0] - 0.5, mark[1] - 0.5)
        for colour, width in ((INK, 5), (PAPER, 2)):
            axes.add_patch(Rectangle(corner, 1, 1, facecolor="none", edgecolor=colour, linewidth=width, zorder=3))
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(-0.5, len(rows) - 0.5)
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.grid(visible=False)
    return _embed(figure, alt)


def _money(value: float) -> str:
    """A tick label: whole units with separators, decimals only for amounts below ten."""
    return f"{value:,.0f}" if abs(value) >= 10 or value == 0 else f"{value:.2g}"


def _paint(number: int) -> str:
    """The stand-in of a series' colour."""
    return f"#0001{number % SERIES + 1:02x}"


def _figure(height_inches: float, longest_label: str = "") -> "tuple[Figure, Axes]":
    """An empty drawing whose left margin holds the longest label. Fixed margins: a layout engine draws twice."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH_INCHES, height_inches))
    axes = figure.subplots()
    left = 0.15 + CHARACTER_INCHES * len(longest_label)
    figure.subplots_adjust(
        left=left / WIDTH_INCHES,
        right=1 - 0.15 / WIDTH_INCHES,
        top=1 - 0.08 / height_inches,
        bottom=0.3 / height_inches,
    )
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=10, width=0.6)
    return figure, axes


def _month_axis(axes: "Axes", labels: Sequence[str]) -> None:
    """ISO months below, money with separators on the left; long plans label every few months only."""
    widest = max([MONTH_LABEL_LETTERS, *map(len, labels)])
    step = -(-len(labels) * widest // (MOST_MONTH_LABELS * MONTH_LABEL_LETTERS)) or 1
    axes.set_xticks(range(0, len(labels), step), list(labels)[::step])
    axes.grid(axis="y", color=RULE, linewidth=0.6)
    axes.yaxis.set_major_formatter(lambda value, _position: _money(value))
    axes.tick_params(axis="x", labelsize=10)


def _embed(figure: "Figure", alt: Alt) -> str:
    """The drawing as one `<svg>` element for a page."""
    import matplotlib as mpl

    drawn = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": alt.key}):
        figure.savefig(drawn, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    ET.register_namespace("", SVG)
    root = ET.fromstring(drawn.getvalue().encode())  # noqa: S314 - our own drawing, made a line above
    _name(root, alt)
    for element in root.iter():
        _tie_to_page(element)
    _own_ids(root, alt.key)
    return ET.tostring(root, encoding="unicode").replace(f' xmlns="{SVG}"', "", 1)


def _name(root: ET.Element, alt: Alt) -> None:
    """Take off matplotlib's metadata and style sheet; add role, title and description."""
    for child in list(root):
        is_sheet = child.tag == f"{{{SVG}}}defs" and child.find(f"{{{SVG}}}style") is not None
        if child.tag == f"{{{SVG}}}metadata" or is_sheet:
            root.remove(child)
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    title, description = ET.Element(f"{{{SVG}}}title"), ET.Element(f"{{{SVG}}}desc")
    title.text, description.text = alt.title, alt.description
    title.set("id", "title")
    description.set("id", "desc")
    root.insert(0, title)
    root.insert(1, description)
    root.set("role", "img")
    root.set("aria-labelledby", f"{alt.key}-title {alt.key}-desc")


def _tie_to_page(element: ET.Element) -> None:
    """Colours become the page's variables; text takes the page's font and colour."""
    link = element.attrib.pop(f"{{{XLINK}}}href", None)
    if link is not None:
        element.set("href", link)
    style = element.get("style", "")
    style = re.sub(r"font-family:[^;]*;?\s*", "", style)
    style = re.sub(r"#0001([0-9a-f]{2})", lambda found: f"var(--s{int(found[1], 16)})", style)
    style = style.replace(PAPER, "var(--paper)").replace(RULE, "var(--rule)").replace(INK, "currentColor")
    if element.tag == f"{{{SVG}}}text" and "fill:" not in style:
        style = f"fill: currentColor; {style}"
    if style:
        element.set("style", style)


def _own_ids(root: ET.Element, key: str) -> None:
    """Keep only ids that something refers to, and give each this drawing's prefix: many share one page."""
    text = ET.tostring(root, encoding="unicode")
    used = set(re.findall(r"url\(#([^)]+)\)", text)) | set(re.findall(r'href="#([^"]+)"', text)) | {"title", "desc"}
    for element in root.iter():
        name = element.get("id")
        if name is not None:
            if name in used:
                element.set("id", f"{key}-{name}")
            else:
                del element.attrib["id"]
        for attribute, value in list(element.attrib.items()):
            element.set(attribute, _prefixed(value, key))


def _prefixed(value: str, key: str) -> str:
    if value.startswith("#"):
        return f"#{key}-{value[1:]}"
    return re.sub(r"url\(#", f"url(#{key}-", value)

"""Charts of the review as inline SVG: no text but tick labels, colours taken over by the page's style sheet."""

import io
import re
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Drawn colours and the page's variables that replace them.
SERIES = ("#0001f1", "#0001f2", "#0001f3", "#0001f4")
INK, RULE = "#0001f8", "#0001f9"
_VARIABLES = {
    **{color: f"var(--s{number})" for number, color in enumerate(SERIES, start=1)},
    INK: "currentColor",
    RULE: "var(--rule)",
}
WIDTH_INCHES = 9.0
MOST_LABELS = 16


def daily_bars(days: Sequence[str], repeating: Sequence[float], once: Sequence[float], title: str) -> str:
    """What each day cost: repeating charges below, charges paid once above."""
    figure, axes = _figure(2.6)
    places = range(len(days))
    axes.bar(places, repeating, color=SERIES[0], width=0.8)
    if any(once):
        axes.bar(places, once, bottom=repeating, color=SERIES[1], width=0.8)
    step = max(1, -(-len(days) // MOST_LABELS))
    axes.set_xticks(list(places)[::step], [day[5:] for day in days][::step])
    return _svg(figure, axes, title)


def price_dots(
    labels: Sequence[str], paid: Sequence[float | None], rows: Sequence[Sequence[float | None]], title: str
) -> str:
    """Paid price of each machine as a bar, with the prices beside it as marks (list, quote or plan, cheapest)."""
    figure, axes = _figure(0.7 + 0.42 * len(labels), left=2.6)
    places = list(range(len(labels)))[::-1]
    axes.barh(places, [value or 0 for value in paid], color=SERIES[0], height=0.5)
    for color, mark, values in zip(SERIES[1:], ("|", "D", "o"), rows, strict=False):
        known = [(value, place) for value, place in zip(values, places, strict=True) if value is not None]
        if known:
            size = 260 if mark == "|" else 42
            xs, ys = [value for value, _ in known], [place for _, place in known]
            axes.scatter(xs, ys, color=color, marker=mark, s=size, linewidths=2.5, zorder=3)
    axes.set_yticks(places, list(labels))
    shown = [value for values in (paid, *rows) for value in values if value is not None]
    axes.set_xlim(0, max(shown, default=1.0) * 1.06)
    return _svg(figure, axes, title, horizontal=True)


def share_bars(labels: Sequence[str], values: Sequence[float], title: str) -> str:
    """Money by name, largest first."""
    figure, axes = _figure(0.7 + 0.34 * len(labels), left=2.6)
    places = list(range(len(labels)))[::-1]
    axes.barh(places, values, color=SERIES[0], height=0.6)
    axes.set_yticks(places, list(labels))
    return _svg(figure, axes, title, horizontal=True)


def _figure(height: float, left: float = 0.9) -> "tuple[Figure, Axes]":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH_INCHES, height))
    axes = figure.add_axes((left / WIDTH_INCHES, 0.38 / height, 1 - (left + 0.2) / WIDTH_INCHES, 1 - 0.5 / height))
    return figure, axes


def _svg(figure: "Figure", axes: "Axes", title: str, *, horizontal: bool = False) -> str:
    import html

    import matplotlib as mpl
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    amounts = axes.xaxis if horizontal else axes.yaxis
    amounts.set_major_locator(MaxNLocator(5))
    amounts.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if abs(value) >= 10 else f"{value:g}"))
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(RULE)
    axes.tick_params(colors=INK, labelsize=9, color=RULE)
    axes.grid(axis="x" if horizontal else "y", color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    buffer = io.StringIO()
    with (
        mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "optimize", "font.family": "sans-serif"}),
        warnings.catch_warnings(),
    ):
        # The page's fonts draw the labels; matplotlib's own needs no Chinese.
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    for color, variable in _VARIABLES.items():
        text = text.replace(color, variable)
    text = re.sub(r"font: ([0-9.]+px)[^;\"]*", r"font: \1 inherit; font-family: inherit", text)
    label = html.escape(title, quote=True)
    return re.sub(r"<svg[^>]*?(viewBox=\"[^\"]+\")[^>]*>", rf'<svg \1 role="img" aria-label="{label}">', text, count=1)

"""The plan as one HTML file that opens offline, prints well and asks the network for nothing."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimizer.domain.plan import Plan
from optimizer.domain.text import Language
from optimizer.reports.html.page import page_of
from optimizer.reports.voice import voice_of

if TYPE_CHECKING:
    from markupsafe import Markup

HERE = Path(__file__).parent


def render_html(
    plan: Plan,
    language: Language,
    breakeven: dict[str, Any] | None = None,
    sensitivity: dict[str, Any] | None = None,
) -> str:
    """The report of a plan: page one for finance, the rest for engineers.

    `breakeven` is the answer of `optimize breakeven --json`, `sensitivity` that of the sensitivity runs; each is
    left out when it is not given. Every value is escaped.
    """
    import jinja2
    from markupsafe import Markup

    loader = jinja2.FileSystemLoader(HERE)
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["dates"] = unbroken_dates
    style = Markup((HERE / "report.css").read_text(encoding="utf-8"))  # noqa: S704 - our own style sheet
    page = page_of(voice_of(plan, language), style, breakeven, sensitivity)
    return environment.get_template("report.html.j2").render(page=page)


def unbroken_dates(text: str) -> "Markup":
    """A text, escaped, whose dates are never broken over two lines."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"(\d{4}-\d{2}-\d{2})", r'<span class="nb">\1</span>', str(escape(text))))  # noqa: S704 - escaped

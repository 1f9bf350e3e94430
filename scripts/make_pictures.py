"""Draw the README's picture from a real run: `python scripts/make_pictures.py [--lang en]`.

Runs an example on the shipped catalog, renders the screen as a user sees it, and keeps its first sections (the whole
screen is longer than a page). The file asks the network for nothing: rich's web fonts are taken out.
"""

import argparse
import io
import re
from datetime import date
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from optimizer.app.plan import plan_workload
from optimizer.domain.plan import Plan
from optimizer.planning.case import PlanOptions
from optimizer.reports.terminal import render_plan

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "lora-7b.yaml"
PICTURE = ROOT / "docs" / "images" / "plan.svg"
AS_OF = date(2026, 11, 30)
WIDTH = 88
MOST_LINES = 42
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
#: Readable on light and dark pages alike: dark ground, light text (all above 4.5:1).
THEME = TerminalTheme(
    (28, 33, 40),
    (230, 233, 237),
    [
        (28, 33, 40),
        (255, 138, 138),
        (98, 214, 161),
        (240, 182, 90),
        (142, 197, 255),
        (231, 155, 224),
        (79, 209, 197),
        (230, 233, 237),
    ],
)


def screen(plan: Plan, most_lines: int = MOST_LINES) -> Text:
    """The first sections of the screen, cut at a blank line."""
    out = io.StringIO()
    console = Console(file=out, width=WIDTH, force_terminal=True, color_system="standard", highlight=False)
    render_plan(plan, "en", console)
    lines = out.getvalue().rstrip("\n").split("\n")
    if len(lines) > most_lines:
        blanks = [number for number, line in enumerate(lines[:most_lines]) if not line.strip()]
        lines = [*lines[: blanks[-1]], "", "…"]
    return Text.from_ansi("\n".join(lines))


def picture(shown: Text, command: str) -> str:
    """The screen under its command line as one SVG without web fonts."""
    console = Console(file=io.StringIO(), width=WIDTH, record=True, force_terminal=True, highlight=False)
    console.print(Text.assemble(("$ ", "dim"), (command, "bold")))
    console.print(shown)
    drawn = console.export_svg(title="optimize", theme=THEME, unique_id="plan")
    drawn = re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.S)
    return re.sub(r"font-family: [^;]+;", f"font-family: {FONTS};", drawn)


def main() -> None:
    """Plan the example and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workload", type=Path, default=EXAMPLE)
    parser.add_argument("--out", type=Path, default=PICTURE)
    given = parser.parse_args()
    plan = plan_workload(given.workload, PlanOptions(as_of=AS_OF))
    name = given.workload.resolve()
    shown_name = name.relative_to(ROOT) if name.is_relative_to(ROOT) else name.name
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(picture(screen(plan), f"optimize --workload {shown_name}"), encoding="utf-8")


if __name__ == "__main__":
    main()

"""The monthly review for a scheduler: last month's bill in, four reports out, exit code 6 over a limit.

    python scripts/monthly_review.py --bill 'bills/*.parquet' --into reports [--month 2026-11] [options of review]

Writes review-<month>.html, .xlsx, .md and .json into a folder; running it again replaces them in one step each and
says what changed. All further options go to `optimize review` (docs/review.md), such as --plan, --quotes, --budget,
--fail-over. A line for cron, on the third of each month at 08:00, when providers have closed the month:

    0 8 3 * * cd /srv/optimize && python scripts/monthly_review.py --bill 'bills/*' --into reports --fail-over 400000CNY
"""

import argparse
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from optimizer.cli._main import run  # noqa: E402


def main(arguments: list[str]) -> int:
    """Run the review of one month and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bill", nargs="+", required=True, help="bill files, globs or folders")
    parser.add_argument("--into", type=Path, required=True, help="folder for the reports")
    parser.add_argument("--month", default=last_month(), help="default: the month before this one")
    options, others = parser.parse_known_args(arguments)
    options.into.mkdir(parents=True, exist_ok=True)
    stem = options.into / f"review-{options.month}"
    bills = [part for bill in options.bill for part in ("--bill", bill)]
    files = {"--report": ".html", "--xlsx": ".xlsx", "--markdown": ".md", "--out": ".json"}
    outputs = [part for option, ending in files.items() for part in (option, f"{stem}{ending}")]
    return run(["review", *bills, "--month", options.month, "--json", *outputs, *others])


def last_month() -> str:
    """The month before the current one."""
    first = datetime.now(UTC).date().replace(day=1)
    return f"{first - timedelta(days=1):%Y-%m}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

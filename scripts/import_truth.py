"""Turn published measurements in the truth format into the project's own fact tables.

    python scripts/import_truth.py --raw DIR

Reads DIR/throughput.csv and DIR/memory.csv; writes catalogs/facts/truth_throughput.csv and truth_memory.csv: the
figures of each run with its source and date, what the run is in our terms, and why a row is out of scope or doubtful.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from truth_rows import read_raw, write_facts  # noqa: E402

FACTS = ROOT / "catalogs" / "facts"


def main() -> None:
    """Import both files and say how many rows came of each."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--raw", type=Path, required=True, metavar="DIR")
    raw: Path = parser.parse_args().raw
    for kind in ("throughput", "memory"):
        runs = read_raw(raw / f"{kind}.csv", kind)
        write_facts(FACTS / f"truth_{kind}.csv", runs)
        print(f"truth_{kind}.csv: {len(runs)} rows, {sum(not run.scope for run in runs)} in scope")


if __name__ == "__main__":
    main()

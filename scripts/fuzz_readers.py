"""Fuzz one of the three readers of users' files, guided by coverage: `pip install atheris`, then
`python scripts/fuzz_readers.py workload --seconds 60` (or `quotes`, `bill`).

An answer or an InputError is right; anything else is a defect, which atheris writes to a file and ends with. The
corpus of bad inputs of the tests is the seed.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import atheris

with atheris.instrument_imports(include=["optimizer.planning", "optimizer.catalog", "optimizer.review"]):
    from optimizer.app.review import ReviewOptions, run_review
    from optimizer.catalog import load_catalog
    from optimizer.catalog.quotes import read_quotes
    from optimizer.planning.workload_file import read_workload

from optimizer.errors import InputError
from tests.first_use.corpus import BILL_HEADER, BILL_LINE, CORPUS, GOOD, HEADER, LINE

MOST_BYTES = 4096
FILES = {"workload": "w.yaml", "quotes": "quotes.csv", "bill": "bill.csv"}
GOOD_ONES = {"workload": GOOD, "quotes": HEADER + LINE, "bill": BILL_HEADER + BILL_LINE * 3}


def reader_of(name: str) -> Callable[[Path], object]:
    """The function that reads a file of a kind; each is what the command line calls."""
    if name == "workload":
        return read_workload
    catalog = load_catalog()
    if name == "quotes":
        offers = catalog.offers()
        return lambda path: read_quotes(path, offers, date(2026, 11, 30), catalog)
    return lambda path: run_review(ReviewOptions(bills=[str(path)]))


def seeds_of(name: str, folder: Path) -> Path:
    """A folder with a good file and every bad one of the corpus."""
    file = FILES[name]
    contents = [GOOD_ONES[name].encode(), *(bad.files[file] for bad in CORPUS if file in bad.files)]
    for number, content in enumerate(contents):
        if len(content) <= MOST_BYTES:
            (folder / f"{number:03d}").write_bytes(content)
    return folder


def main() -> None:
    """Fuzz until the time is over or something breaks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reader", choices=FILES)
    parser.add_argument("--seconds", type=int, default=60)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    (folder / "seeds").mkdir()
    path, read = folder / FILES[given.reader], reader_of(given.reader)

    def one(content: bytes) -> None:
        path.write_bytes(content)
        with suppress(InputError):
            read(path)

    seeds = str(seeds_of(given.reader, folder / "seeds"))
    limits = [f"-max_total_time={given.seconds}", f"-max_len={MOST_BYTES}", f"-artifact_prefix={folder}/"]
    atheris.Setup([sys.argv[0], seeds, *limits], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()

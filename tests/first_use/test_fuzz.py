"""Random and mutated input to the three file readers: an answer or an InputError, never anything else."""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from optimizer.app.review import ReviewOptions, run_review
from optimizer.catalog import Catalog, load_catalog
from optimizer.catalog.quotes import read_quotes
from optimizer.errors import InputError
from optimizer.planning.workload_file import read_workload
from tests.first_use.corpus import BILL_HEADER, BILL_LINE, CORPUS, GOOD, HEADER, LINE

SLOWLY = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
RARELY = settings(SLOWLY, max_examples=12)
#: Pieces that files are made of, and those that break them.
PIECES = [
    *(": ", "\n", "- ", "[", "]", "{", "}", "&a ", "*a", "!!", "|", ">", "#", "'", '"', ",", ";", "\t", "%", "\\"),
    *(".nan", "1e999", "-0", "0x1F", "9" * 400, "2026-02-30", "null", "<<", "\ufeff", "\x00", "\r", "\u2028", "训练"),
]


def _mutated(*seeds: bytes) -> st.SearchStrategy[bytes]:
    """A good or bad file with pieces put in, taken out or doubled, or cut anywhere."""
    place, piece = st.integers(0, 10_000), st.sampled_from(PIECES) | st.text(max_size=8)
    edit = st.tuples(place, st.integers(0, 30), piece)

    def apply(content: bytes, edits: list[tuple[int, int, str]], cut: int) -> bytes:
        for at, length, text in edits:
            start = at % (len(content) + 1)
            content = content[:start] + text.encode("utf-8", "surrogatepass") + content[start + length :]
        return content[: len(content) - cut % 40]

    return st.builds(apply, st.sampled_from(seeds), st.lists(edit, min_size=1, max_size=4), st.integers(0, 200))


def _file(content: bytes, name: str) -> Path:
    path = Path(tempfile.mkdtemp(prefix="fuzz-")) / name
    path.write_bytes(content)
    return path


def _answer_or_problems(read: Callable[[], object]) -> bool:
    """Whether a reader answers, or refuses with problems that each name a place and say what was found."""
    try:
        return bool(read())
    except InputError as error:
        return bool(error.problems) and all(problem.file and problem.found for problem in error.problems)


_WORKLOADS = [bad.files["w.yaml"] for bad in CORPUS if "w.yaml" in bad.files and len(bad.files["w.yaml"]) < 2000]


@SLOWLY
@given(content=_mutated(GOOD.encode(), *_WORKLOADS) | st.binary(max_size=200))
def test_the_workload_reader_never_breaks(content: bytes) -> None:
    assert _answer_or_problems(lambda: read_workload(_file(content, "w.yaml")))


@pytest.fixture(scope="module")
def offers(catalog: Path) -> Catalog:
    """The small catalog, read."""
    return load_catalog(catalog)


@SLOWLY
@given(content=_mutated((HEADER + LINE).encode(), (HEADER + LINE * 2).encode("gbk")) | st.binary(max_size=200))
def test_the_quotes_reader_never_breaks(content: bytes, offers: Catalog) -> None:
    assert _answer_or_problems(
        lambda: (read_quotes(_file(content, "quotes.csv"), offers.offers(), date(2026, 11, 30), offers),)
    )


@RARELY
@given(content=_mutated((BILL_HEADER + BILL_LINE * 3).encode()) | st.binary(max_size=200))
def test_the_bill_reader_never_breaks(content: bytes, catalog: Path) -> None:
    assert _answer_or_problems(
        lambda: run_review(ReviewOptions(bills=[str(_file(content, "bill.csv"))], catalog=catalog))
    )


@pytest.mark.slow
@pytest.mark.parametrize("reader", ["workload", "quotes", "bill"])
def test_coverage_guided_fuzzing_finds_nothing(reader: str) -> None:
    pytest.importorskip("atheris", reason="pip install atheris")
    script = Path(__file__).parents[2] / "scripts" / "fuzz_readers.py"
    done = subprocess.run(
        [sys.executable, str(script), reader, "--seconds", "30"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]

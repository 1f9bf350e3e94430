"""Bills written by one line of test code."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest

from tests.review.bills import write_csv

Writer = Callable[[Iterable[Mapping[str, str]]], Path]


@pytest.fixture
def focus(tmp_path: Path) -> Writer:
    """A function that writes lines as a FOCUS file."""

    def write(rows: Iterable[Mapping[str, str]]) -> Path:
        return write_csv(tmp_path / f"bill-{len(list(tmp_path.glob('bill-*')))}.csv", rows)

    return write

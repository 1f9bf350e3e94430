"""Words beside a price, in both languages, for what is out of the ordinary and for nothing else."""

import pytest

from optimizer.catalog.freshness import Freshness
from optimizer.catalog.remarks import remarks
from optimizer.domain.offer import Availability, Mark, PriceKind


def words(*arguments: object, **facts: float | None) -> tuple[list[str], list[str]]:
    said = list(remarks(arguments, **facts))  # type: ignore[arg-type]
    return [text.en for text in said], [text.zh for text in said]


def test_the_ordinary_needs_no_word() -> None:
    ordinary = ("list", "spot", Freshness.RECENT, Availability.UNKNOWN, None)
    assert words(*ordinary, billing_unit_hours=1.0, minimum_hours=0.0) == ([], [])


@pytest.mark.parametrize("code", [*Mark, PriceKind.STREET, PriceKind.MARKET_QUOTE, PriceKind.QUOTE, Freshness.OLD])
def test_every_mark_has_its_words(code: str) -> None:
    (english,), (chinese,) = words(code)
    assert english.isascii()
    assert not chinese.isascii()


@pytest.mark.parametrize(
    ("unit_hours", "minimum_hours", "english"),
    [
        (1 / 3600, 1 / 60, ["billed by the second", "at least 1 min"]),
        (1 / 60, 0.0, ["billed by the minute"]),
        (1 / 6, 0.5, ["billed by 10 min", "at least 30 min"]),
        (2.0, 2.0, ["billed by 2 h", "at least 2 h"]),
        (1.0, 1 / 120, ["at least 30 s"]),
    ],
)
def test_how_short_a_time_is_billed(unit_hours: float, minimum_hours: float, english: list[str]) -> None:
    assert words(billing_unit_hours=unit_hours, minimum_hours=minimum_hours)[0] == english


def test_stock_and_interruptions() -> None:
    assert words(Availability.NONE, interruptions_per_hour=0.00014)[0] == [
        "sold out",
        "interrupted 0.00014 times an hour",
    ]
    assert words(Availability.IN_STOCK)[1] == ["有货"]

"""The one formatter: separators, codes, places, unknowns, both languages."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimizer.reports.numbers import UNKNOWN, Numbers, clean, significant

EN, ZH = Numbers("en", "CNY"), Numbers("zh", "CNY")
D = Decimal


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("28053.96", "28,053.96 CNY"),
        ("0", "0.00 CNY"),
        ("1000000", "1,000,000.00 CNY"),
        ("0.025", "0.02 CNY"),  # half to even
        ("0.015", "0.02 CNY"),
        ("0.005", "0.005 CNY"),  # a real price never becomes 0
        ("0.0042", "0.0042 CNY"),
        ("-131785.52", "-131,785.52 CNY"),
    ],
)
def test_money_has_two_places_and_its_code_once(value: str, said: str) -> None:
    assert EN.money(D(value)) == ZH.money(D(value)) == said


def test_currencies_without_a_minor_unit_have_no_places() -> None:
    assert Numbers("en", "JPY").money(D("157250.4")) == "157,250 JPY"


@pytest.mark.parametrize(
    ("value", "said"),
    [("9.5326", "9.5326 CNY"), ("12.9", "12.90 CNY"), ("4675.66", "4,675.66 CNY"), ("21.957642", "21.957642 CNY")],
)
def test_unit_prices_keep_the_places_they_were_published_with(value: str, said: str) -> None:
    assert EN.unit_price(D(value)) == said


@pytest.mark.parametrize(
    ("fraction", "said"),
    [(0.12, "12%"), (0.1249, "12%"), (0.034, "3.4%"), (0.03, "3%"), (0.0004, "<0.1%"), (0.0, "0%"), (1.5, "150%")],
)
def test_percent_shows_no_more_than_is_known(fraction: float, said: str) -> None:
    assert EN.percent(fraction) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [(3904.0, "3,900"), (15_234.0, "15,200"), (842.3, "842"), (12.34, "12.3"), (0.5, "0.5"), (999.6, "1,000")],
)
def test_speeds_have_three_significant_figures(value: float, said: str) -> None:
    assert significant(value) == said


def test_units_are_counted_in_words() -> None:
    assert EN.count(1, "month") == "1 month"
    assert EN.count(3, "month") == "3 months"
    assert ZH.count(3, "month") == "3 个月"
    assert EN.count(D("295.9"), "GB-month") == "295.9 GB-months"
    assert EN.count(2, "rack_unit") == "2 rack unit"  # a unit that is not on record is shown as it stands


def test_unknown_is_a_dash_and_never_zero() -> None:
    said = [
        EN.money(None),
        EN.amount(None),
        EN.unit_price(None),
        EN.percent(None),
        EN.hours(None),
        EN.rate(None),
        EN.gib(None),
        EN.day(None),
        EN.days(None),
    ]
    assert said == [UNKNOWN] * len(said)


def test_dates_are_iso_in_both_languages() -> None:
    assert EN.day(date(2026, 12, 1)) == ZH.day(date(2026, 12, 1)) == "2026-12-01"


def test_hours_and_sizes() -> None:
    assert [EN.hours(139.2), EN.hours(19.5), EN.hours(10.0), ZH.hours(1350.0)] == [
        "139 h",
        "19.5 h",
        "10 h",
        "1,350 小时",
    ]
    assert EN.gib(19.06) == "19.1 GiB"


@given(st.decimals(min_value=-(10**12), max_value=10**12, places=6))
def test_money_reads_back_to_the_cent(value: Decimal) -> None:
    shown = D(EN.amount(value).replace(",", ""))
    assert abs(shown - value) <= D("0.005")
    assert (shown == 0) == (value == 0)


@given(st.text())
def test_clean_text_stays_on_one_line_and_carries_no_control(text: str) -> None:
    kept = clean(text)
    assert "\n" not in kept
    assert "\x1b" not in kept
    assert "\u202e" not in kept
    assert clean(kept) == kept

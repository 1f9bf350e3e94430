"""Prices, tax, billing and residual value by hand (docs/adr/0004-accounting.md)."""

from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest

from optimizer.domain.offer import Price, PriceUnit, Term
from optimizer.domain.workload import TaxSpec
from optimizer.verify.lines import residual_fraction
from optimizer.verify.prices import billed_hours, tax_factor, term_length, upfront_share

D = Decimal


def price(term: Term, unit: PriceUnit, **more: object) -> Price:
    return Price.model_validate(
        {"term": term, "amount": 10, "unit": unit, "currency": "CNY", "source": "page", "observed": date(2026, 11, 1)}
        | more
    )


@pytest.mark.parametrize(
    ("hours", "unit_hours", "minimum", "billed"),
    [
        (6.2, 1.0, 0.0, "7"),
        (6.0, 1.0, 0.0, "6"),
        (6.0000000001, 1.0, 0.0, "6"),  # a float's noise
        (6.2, 0.5, 0.0, "6.5"),
        (0.2, 1.0, 3.0, "3"),
        (23.5, 1.0, 0.0, "24"),
        (23.5, 10.0, 0.0, "24"),  # 30 h, but a day has 24
        (1.25, 1 / 60, 0.0, "1.25"),  # by the minute: 75 minutes
        (0.0, 1.0, 0.0, "0"),
    ],
)
def test_a_day_is_billed_in_whole_units(hours: float, unit_hours: float, minimum: float, billed: str) -> None:
    row = price(Term.ON_DEMAND, PriceUnit.HOUR, billing_unit_hours=unit_hours, minimum_hours=minimum)
    assert abs(billed_hours(hours, row) - D(billed)) < D("1e-20")


@pytest.mark.parametrize(
    ("included", "recoverable", "factor"),
    [
        (True, False, D(1)),
        (False, False, D("1.06")),
        (True, True, 1 / D("1.06")),
        (False, True, D(1)),
        (None, False, D(1)),  # assumed as tax.included says
        (None, True, 1 / D("1.06")),
    ],
)
def test_tax_makes_prices_alike(included: bool | None, recoverable: bool, factor: Decimal) -> None:
    assert tax_factor(included, TaxSpec(included=True, rate=0.06, recoverable=recoverable)) == factor


@pytest.mark.parametrize(
    ("term", "unit", "days", "length"),
    [
        (Term.MONTH, PriceUnit.MONTH, 28, "1"),
        (Term.MONTH, PriceUnit.HOUR, 28, "730"),  # a published hourly figure of a month is 730 hours
        (Term.RESERVED_1Y, PriceUnit.HOUR, 365, "8760"),
        (Term.RESERVED_3Y, PriceUnit.HOUR, 1096, "26280"),
        (Term.RESERVED_3Y, PriceUnit.YEAR, 1096, "3"),
        (Term.YEAR, PriceUnit.MONTH, 365, "12"),
        (Term.RESERVED_6M, PriceUnit.YEAR, 181, "0.5"),
        (Term.WEEK, PriceUnit.DAY, 7, "7"),
        (Term.DAY, PriceUnit.HOUR, 1, "24"),
        (Term.CAPACITY_BLOCK, PriceUnit.HOUR, 14, "336"),
        (Term.YEAR, PriceUnit.TERM, 365, "1"),
    ],
)
def test_a_term_holds_so_many_of_its_price_units(term: Term, unit: PriceUnit, days: int, length: str) -> None:
    assert term_length(price(term, unit), days) == D(length)


@pytest.mark.parametrize(
    ("unit", "more", "share"),
    [
        (PriceUnit.HOUR, {}, "0"),
        (PriceUnit.MONTH, {}, "0"),
        (PriceUnit.YEAR, {}, "1"),
        (PriceUnit.TERM, {}, "1"),
        (PriceUnit.MONTH, {"upfront_share": "0.5"}, "0.5"),
        (PriceUnit.MONTH, {"upfront_amount": "30"}, "0.2"),  # 30 of 12 x 10 + 30
    ],
)
def test_what_is_due_on_the_first_day(unit: PriceUnit, more: dict[str, str], share: str) -> None:
    assert upfront_share(price(Term.YEAR, unit, **more), D(150)) == D(share)


@pytest.mark.parametrize(
    ("rows", "age", "kept"),
    [
        ({0: 1.0, 12: 0.7, 36: 0.3}, 0, "1"),
        ({0: 1.0, 12: 0.7, 36: 0.3}, 6, "0.85"),
        ({0: 1.0, 12: 0.7, 36: 0.3}, 24, "0.5"),
        ({0: 1.0, 12: 0.7, 36: 0.3}, 48, "0.3"),  # constant after the last row
        ({12: 0.7}, 6, "0.85"),  # 1.0 at age 0 where no row says otherwise
        ({0: 0.0}, 6, "0"),
    ],
)
def test_residual_value_is_linear_between_rows(rows: dict[int, float], age: int, kept: str) -> None:
    assert residual_fraction(rows, Fraction(age)) == Fraction(kept)

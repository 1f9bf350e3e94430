"""Rents: a month costs its monthly price whatever its days, and is compared with what was billed for it as a month."""

from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from optimizer.domain.offer import Offer, PriceKind, PriceUnit, Term
from optimizer.review.agreed import Agreed, Contract
from optimizer.review.bill import Bill
from optimizer.review.rents import months_between
from optimizer.review.state import Record
from tests.review.bills import bill_of, found, machine, offer, priced, review_of

HEADER = "date,end,provider,region,instance_type,quantity,unit,currency,billed,term"
BOX = machine("someone", "box-8", "H20-96GB")


def _offers(*rents: tuple[Term, str, PriceUnit]) -> tuple[Offer, ...]:
    prices = (priced(term, amount, unit, "CNY", kind=PriceKind.QUOTE) for term, amount, unit in rents)
    return (offer(BOX, "bj", *prices, country="CN"),)


MONTHLY = _offers((Term.MONTH, "55000", PriceUnit.MONTH))


def _bill(path: Path, *lines: str, offers: tuple[Offer, ...] = MONTHLY) -> Bill:
    rows = [line.replace("BOX", "someone,bj,box-8") for line in lines]
    (path / "rent.csv").write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    return bill_of(path / "rent.csv", offers=offers)


@pytest.mark.parametrize(
    ("start", "end", "months"),
    [
        ("2027-02-01", "2027-03-01", Fraction(1)),
        ("2027-01-15", "2027-02-15", Fraction(1)),
        ("2027-01-31", "2027-02-28", Fraction(1)),
        # The month of a rent that began on a 31st: its date was cut to 28 February only for that month.
        ("2027-02-28", "2027-03-31", Fraction(1)),
        ("2026-10-01", "2026-10-31 23:59:59", Fraction(1)),
        # Bought at 14:20, ends at the midnight after a month.
        ("2026-10-15 14:20", "2026-11-16", Fraction(1)),
        ("2026-11-01", "2027-11-01", Fraction(12)),
        # 19 of the 28 days of February.
        ("2027-02-10", "2027-03-01", Fraction(19, 28)),
        # A month to 15 November, then 15 of its 30 days.
        ("2026-10-15", "2026-11-30", Fraction(3, 2)),
        ("2027-02-03", "2027-02-04", Fraction(1, 28)),
        ("2027-02-03 07:00", "2027-02-03 08:00", Fraction(1, 28 * 24)),
    ],
)
def test_months_of_a_period(start: str, end: str, months: Fraction) -> None:
    assert months_between(datetime.fromisoformat(start), datetime.fromisoformat(end)) == months


@pytest.mark.parametrize(
    ("period", "paid", "over"),
    [
        ("2027-02-01,2027-03-01", "55000", None),
        ("2026-11-01,2026-12-01", "55000", None),
        # 55,100 - 55,000 = 100 is 0.18 %: rounding of published prices is not told apart from it.
        ("2026-10-01,2026-11-01", "55100", None),
        # 56,000 - 55,000 in a month of 31 days, 28 days, and of two calendar months.
        ("2026-10-01,2026-11-01", "56000", "1000"),
        ("2027-02-01,2027-03-01", "56000", "1000"),
        ("2027-01-15,2027-02-15", "56000", "1000"),
    ],
)
def test_a_month_is_compared_as_a_month(tmp_path: Path, period: str, paid: str, over: str | None) -> None:
    review = review_of(_bill(tmp_path, f"{period},BOX,1,month,CNY,{paid},month"), MONTHLY)
    savings = [item.saving for item in found(review, "above-quote")]
    assert savings == ([] if over is None else [Decimal(over)])


def test_the_words_say_the_rent_of_the_month(tmp_path: Path) -> None:
    """Two machines: 2 x 55,000 = 110,000; 115,500 paid is 5 % more."""
    review = review_of(_bill(tmp_path, "2027-02-01,2027-03-01,BOX,2,month,CNY,115500,month"), MONTHLY)
    (finding,) = found(review, "above-quote")
    assert finding.saving == 5500
    assert "(by the month) cost 115,500.00 CNY, 5.0 % above the quote of 110,000.00 CNY" in finding.text.en
    assert "（包月）租金 115,500.00 CNY，比报价 110,000.00 CNY 高 5.0 %" in finding.text.zh
    assert finding.proof.en == "2 x 55,000.00 CNY a month = 110,000.00 CNY"
    assert finding.proof.zh == "2 × 每月 55,000.00 CNY = 110,000.00 CNY"


def test_a_rent_of_machines_that_ran_for_a_part_of_it_is_due_whole(tmp_path: Path) -> None:
    """28 daily lines of ten hours at 2,000: 56,000 against one month of 55,000."""
    days = [f"2027-02-{day:02d},,BOX,10,hours,CNY,2000,month" for day in range(1, 29)]
    (finding,) = found(review_of(_bill(tmp_path, *days), MONTHLY), "above-quote")
    assert finding.saving == 1000


def test_a_part_of_a_month_counts_by_its_days(tmp_path: Path) -> None:
    """14 of 28 days of February: 27,500 of 55,000 is due; 30,000 was paid."""
    review = review_of(_bill(tmp_path, "2027-02-15,2027-03-01,BOX,336,hours,CNY,30000,month"), MONTHLY)
    assert [item.saving for item in found(review, "above-quote")] == [Decimal(2500)]


def test_months_paid_at_once_are_one_machine(tmp_path: Path) -> None:
    """1 February to 1 May are 28 + 31 + 30 = 89 days of 24 hours; 3 x 55,000 = 165,000 is the quote."""
    bill = _bill(tmp_path, "2027-02-01,2027-05-01,BOX,3,month,CNY,168000,month")
    (cell,) = bill.cells
    assert cell.machine_hours == 89 * 24
    assert [item.saving for item in found(review_of(bill, MONTHLY), "above-quote")] == [Decimal(3000)]


@pytest.mark.parametrize(
    ("quantity", "unit", "term", "hours", "due"),
    [("1", "month", "month", 28 * 24, 55000), ("2", "月", "month", 2 * 28 * 24, 110000)],
)
def test_a_month_needs_no_end(tmp_path: Path, quantity: str, unit: str, term: str, hours: int, due: int) -> None:
    """A line of 1 February whose quantity is in months lasts to 1 March; a line in hours is one day."""
    bill = _bill(tmp_path, f"2027-02-01,,BOX,{quantity},{unit},CNY,{due + 3000},{term}")
    assert bill.cells[0].machine_hours == hours
    assert [item.saving for item in found(review_of(bill, MONTHLY), "above-quote")] == [Decimal(3000)]


@pytest.mark.parametrize(
    ("line", "term", "amount", "unit", "over"),
    [
        # 12 x 48,000 = 576,000 for a year.
        ("2027-01-01,2028-01-01,BOX,1,year,CNY,580000,year", Term.YEAR, "48000", PriceUnit.MONTH, 4000),
        ("2027-01-01,,BOX,1,年,CNY,580000,year", Term.YEAR, "48000", PriceUnit.MONTH, 4000),
        # Three days at 2,000 are 6,000.
        ("2027-02-01,2027-02-04,BOX,72,hours,CNY,6600,day", Term.DAY, "2000", PriceUnit.DAY, 600),
        # Two weeks at 13,000 are 26,000.
        ("2027-02-01,2027-02-15,BOX,336,hours,CNY,27000,week", Term.WEEK, "13000", PriceUnit.WEEK, 1000),
    ],
)
def test_other_rents_are_compared_with_their_own_price(
    tmp_path: Path, line: str, term: Term, amount: str, unit: PriceUnit, over: int
) -> None:
    """Not with the price of a month, which stands beside it."""
    offers = _offers((term, amount, unit), (Term.MONTH, "1", PriceUnit.MONTH))
    review = review_of(_bill(tmp_path, line, offers=offers), offers)
    assert [item.saving for item in found(review, "above-quote")] == [Decimal(over)]


def test_a_rent_that_stays_is_no_price_change(tmp_path: Path) -> None:
    """The hour of February is dearer than that of January (744 : 672), the month is not; in March it is, by 1,100."""
    lines = (
        "2027-01-01,2027-02-01,BOX,1,month,CNY,55000,month",
        "2027-02-01,2027-03-01,BOX,1,month,CNY,55000,month",
        "2027-03-01,2027-04-01,BOX,1,month,CNY,56100,month",
    )
    (change,) = found(review_of(_bill(tmp_path, *lines), MONTHLY), "price-change")
    assert change.saving == 1100
    assert "a month costs 56,100.00 CNY instead of 55,000.00 CNY in the month before (+2.0 %)" in change.text.en
    assert "每月 56,100.00 CNY，上月为 55,000.00 CNY（+2.0 %）" in change.text.zh


def test_rents_are_remembered_by_the_month(tmp_path: Path) -> None:
    january = review_of(_bill(tmp_path, "2027-01-01,2027-02-01,BOX,1,month,CNY,55000,month"), MONTHLY).record
    assert january.prices == {"someone/bj/box-8/subscription CNY a month": Decimal(55000)}
    february = _bill(tmp_path, "2027-02-01,2027-03-01,BOX,1,month,CNY,55000,month")
    assert found(review_of(february, MONTHLY, records=(january,)), "price-change") == []
    # A memory that kept the hour of rents (55,000 / 744) is not compared with months.
    hourly = Record(january.start, january.end, "", prices={"someone/bj/box-8/subscription CNY": Decimal("73.92")})
    assert found(review_of(february, MONTHLY, records=(hourly,)), "price-change") == []


def test_a_month_is_compared_with_the_contract(tmp_path: Path) -> None:
    """54,000 a month was agreed; 55,000 was billed for February, and 110,000 for two machines in March."""
    agreed = Agreed("someone", "bj", "box-8", 1, "month", Decimal(54000), "CNY", date(2027, 1, 1), date(2028, 1, 1))
    lines = (
        "2027-02-01,2027-03-01,BOX,1,month,CNY,55000,month",
        "2027-03-01,2027-04-01,BOX,2,month,CNY,110000,month",
    )
    (finding,) = found(review_of(_bill(tmp_path, *lines), MONTHLY, contract=Contract((agreed,), ())), "above-contract")
    assert finding.saving == 3000
    assert finding.text.en == "someone/bj/box-8 cost 55,000.00 CNY a month; the contract says 54,000.00 CNY."
    assert finding.text.zh == "someone/bj/box-8 每月 55,000.00 CNY；合同约定 54,000.00 CNY。"
    hourly = Contract((replace(agreed, unit="hour", unit_price=Decimal(1)),), ())
    assert found(review_of(_bill(tmp_path, *lines), MONTHLY, contract=hourly), "above-contract") == []

"""Budget burned and what the rest of the horizon will cost, with a range.

Cash of charges that repeat is averaged over the days of the period that lie in the horizon; what was paid once is not
repeated. The range is a 95 % prediction interval of the sum of the days to come, from the spread of the days so far:
mean of m coming days from n seen ones has the variance s2 x (m + m x m / n) (sum of m independent days, and the error
of the mean itself).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from optimizer.domain.text import Text
from optimizer.review.bill import ZERO, Bill
from optimizer.review.finding import ReviewFinding, filled, money, percent

#: Two-sided 95 % point of the normal distribution.
NORMAL_95 = Decimal("1.96")
LEAST_DAYS = 3

BURNED = Text(
    "{spent} of the budget of {budget} is spent ({share}); at the pace of these {days} days the total on {end} will be "
    "{expected} ({low} to {high}).",
    "预算 {budget} 已用 {spent}（{share}）；按这 {days} 天的速度，到 {end} 总计将为 {expected}（{low} 至 {high}）。",
)
NO_BUDGET = Text(
    "At the pace of these {days} days the total on {end} will be {expected} ({low} to {high}).",
    "按这 {days} 天的速度，到 {end} 总计将为 {expected}（{low} 至 {high}）。",
)
OVER = Text("That is {over} over the budget.", "将超出预算 {over}。")


@dataclass(frozen=True, slots=True)
class Budget:
    """Money for the whole horizon [start, end); `spent_before` in earlier months that were reviewed."""

    amount: Decimal | None
    currency: str
    start: date
    end: date
    spent_before: Decimal = ZERO


@dataclass(frozen=True, slots=True)
class Forecast:
    """Spent so far, and the expected total on the horizon's last day with its 95 % range."""

    currency: str
    budget: Decimal | None
    spent: Decimal
    expected: Decimal
    low: Decimal
    high: Decimal
    days_seen: int
    days_left: int
    end: date

    @property
    def over(self) -> Decimal | None:
        """How far the expected total lies above the budget; `None` without a budget or within it."""
        return self.expected - self.budget if self.budget is not None and self.expected > self.budget else None


def daily(bill: Bill, currency: str) -> tuple[dict[date, Decimal], dict[date, Decimal]]:
    """Cash of each day of the period so far: what repeats, and what was paid once.

    Corrections of days outside the period were paid in it: they stand on its first day.
    """
    last = bill.through.date() if bill.through.time() == bill.through.min.time() else bill.through.date() + timedelta(1)
    days = [bill.start + timedelta(number) for number in range(max(0, (last - bill.start).days))]
    repeating, once = dict.fromkeys(days, ZERO), dict.fromkeys(days or [bill.start], ZERO)
    for item in bill.spending:
        if item.currency != currency:
            continue
        if item.one_time or item.day not in repeating:
            once[item.day if item.day in once else bill.start] += item.billed
        else:
            repeating[item.day] += item.billed
    return repeating, once


def forecast(bill: Bill, budget: Budget) -> Forecast | None:
    """The total at the horizon's end; `None` when too few of its days were seen to tell a spread.

    Only days inside the horizon count: what was paid before a plan began, much or nothing, is no pace of the plan.
    """
    repeating, once = daily(bill, budget.currency)
    inside = [day for day in repeating if budget.start <= day < budget.end]
    if len(inside) < LEAST_DAYS:
        return None
    seen, amounts = len(inside), [repeating[day] for day in inside]
    left = max(0, (budget.end - inside[-1]).days - 1)
    mean = sum(amounts, ZERO) / seen
    variance = sum(((amount - mean) ** 2 for amount in amounts), ZERO) / (seen - 1)
    spread = NORMAL_95 * (variance * (left + Decimal(left) * left / seen)).sqrt()
    spent = budget.spent_before + sum((repeating[day] + once[day] for day in inside), ZERO)
    expected = spent + mean * left
    low = max(spent, expected - spread) if mean >= 0 else expected - spread
    return Forecast(budget.currency, budget.amount, spent, expected, low, expected + spread, seen, left, budget.end)


def forecast_findings(forecasts: Iterable[Forecast]) -> Iterable[ReviewFinding]:
    """One sentence for each currency."""
    for item in forecasts:
        values = {
            "days": item.days_seen,
            "end": item.end.isoformat(),
            "expected": money(item.expected, item.currency),
            "low": money(item.low, item.currency),
            "high": money(item.high, item.currency),
        }
        if item.budget is None and not item.days_left:
            continue
        if item.budget is None:
            yield ReviewFinding("forecast", "note", filled(NO_BUDGET, **values), item.currency)
            continue
        text = filled(
            BURNED,
            spent=money(item.spent, item.currency),
            budget=money(item.budget, item.currency),
            share=percent(item.spent, item.budget),
            **values,
        )
        over = item.over
        details = () if over is None else (filled(OVER, over=money(over, item.currency)),)
        yield ReviewFinding("budget", "note" if over is None else "warning", text, item.currency, details=details)

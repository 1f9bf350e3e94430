"""Lines of cost as people read them: purchases of one thing at one price joined, whatever months they are paid in."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import pairwise

from optimizer.domain.offer import Term
from optimizer.domain.plan import Purchase

CENT, MICRO = Decimal("0.01"), Decimal("0.000001")
MOST_PLACES = 6
#: A rate shown with six places may move a large product by this share.
RATE_ROUNDING = Decimal("1e-6")
#: The longest part of a line that is paid month by month.
DAYS_OF_A_MONTH = 31
#: Fields in which parts of one line may differ.
_OWN_WORDS = {"quantity", "cost", "start", "end", "start_day", "end_day", "residual"}


@dataclass(frozen=True, slots=True)
class Line:
    """Purchases that read as one: same thing, price and number, one after the other.

    `each`: the least and the greatest cost of parts that differ in more than their dates, or do not follow each other;
    `is_monthly`: they do follow each other, month by month.
    """

    purchase: Purchase
    quantity: Decimal
    cost: Decimal
    residual: Decimal
    start: date
    end: date
    end_day: int
    parts: int
    each: tuple[Decimal, Decimal] | None = None
    is_monthly: bool = False

    @property
    def factors(self) -> tuple[int, Decimal] | None:
        """Count and quantity of each, the shortest that give the cost; None where no product does.

        A line's quantity counts all its units together. Nothing is shown as a product that does not multiply out
        to a cent, or to the rounding of the rate shown.
        """
        bought = self.purchase
        count = bought.count if bought.kind == "machine" else 1
        each = self.quantity / count
        price = bought.unit_price * bought.tax_factor * bought.fx_rate * count
        if price == 0:
            return (count, round(each, 1)) if self.cost == 0 else None
        for places in range(MOST_PLACES + 1):
            shown = round(each, places)
            if abs(shown * price - self.residual - self.cost) <= self._rounding:
                return count, shown
        return None

    @property
    def _rounding(self) -> Decimal:
        """How far a product may lie from the cost; a cost of less than half a cent is shown to the micro."""
        return max(CENT / 2, self.cost * RATE_ROUNDING) if abs(self.cost) >= CENT / 2 else MICRO / 2

    @property
    def name(self) -> str:
        """The machine, or the provider whose service it is."""
        return self.purchase.instance_type or self.purchase.provider


def lines_of(purchases: Iterable[Purchase]) -> list[Line]:
    """Join consecutive purchases of one thing at one price (three single months read as three months).

    Machines come first, then the rest; the dearest first.
    """
    lines: list[Line] = []
    for bought in sorted(purchases, key=_reading_order):
        last = lines[-1] if lines else None
        if last is not None and _continues(last, bought):
            lines[-1] = replace(
                last,
                quantity=last.quantity + bought.quantity,
                cost=last.cost + bought.cost,
                residual=last.residual + bought.residual,
                end=bought.end,
                end_day=bought.end_day,
                parts=last.parts + 1,
            )
        else:
            lines.append(
                Line(bought, bought.quantity, bought.cost, bought.residual, bought.start, bought.end, bought.end_day, 1)
            )
    return sorted(lines, key=lambda line: (line.purchase.kind != "machine", -line.cost))


def _reading_order(bought: Purchase) -> tuple[bool, str, str, str, str, str, tuple[str, ...], int]:
    term = bought.term.value if bought.term else ""
    where = (bought.provider, bought.region, bought.instance_type or "")
    return (bought.kind != "machine", bought.kind, *where, term, bought.workloads, bought.start_day)


def _continues(line: Line, bought: Purchase) -> bool:
    """Whether `bought` is the same thing at the same price, starting where the line ends."""
    first = line.purchase
    if first.term is Term.OWNED or line.end_day != bought.start_day:
        return False
    return first.model_dump(exclude=_OWN_WORDS) == bought.model_dump(exclude=_OWN_WORDS)


def grouped(lines: Iterable[Line]) -> list[Line]:
    """Lines joined further: what is bought again and again in other amounts, as energy in every month.

    Terms and bought machines stay apart, because each binds for itself.
    """
    groups: dict[object, list[Line]] = {}
    for number, line in enumerate(lines):
        groups.setdefault(number if _binds(line) else _kind_of(line), []).append(line)
    joined = [_one_of(group) for group in groups.values()]
    return sorted(joined, key=lambda line: (line.purchase.kind != "machine", -line.cost))


def _binds(line: Line) -> bool:
    bought = line.purchase
    return bought.kind == "machine" and not (bought.term is not None and bought.term.is_hourly)


def _kind_of(line: Line) -> str:
    """Everything of a purchase but its dates and amounts."""
    return line.purchase.model_dump_json(exclude=_OWN_WORDS)


def _one_of(group: list[Line]) -> Line:
    if len(group) == 1:
        return group[0]
    parts = sorted(group, key=lambda line: line.start)
    costs = [line.cost for line in parts]
    follow = all(before.end == after.start for before, after in pairwise(parts))
    return replace(
        parts[0],
        quantity=sum((line.quantity for line in parts), Decimal(0)),
        cost=sum(costs, Decimal(0)),
        residual=sum((line.residual for line in parts), Decimal(0)),
        end=max(line.end for line in parts),
        end_day=max(line.end_day for line in parts),
        parts=len(parts),
        each=(min(costs), max(costs)),
        is_monthly=follow and all((line.end - line.start).days <= DAYS_OF_A_MONTH for line in parts),
    )


def is_own(bought: Purchase) -> bool:
    """Whether the figure is the user's own (owned machines and their running cost)."""
    return bought.term is Term.OWNED or bought.provider == "owned" or bought.kind == "move"

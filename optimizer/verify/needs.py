"""Do the lines pay for all that runs, and for nothing else? Hours, owned machines, moves and networks."""

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from optimizer.domain.money import to_micros
from optimizer.domain.offer import Term
from optimizer.domain.plan import Assignment, Purchase, ServedBy
from optimizer.domain.text import Text
from optimizer.verify import texts
from optimizer.verify.check import Checks, filled
from optimizer.verify.context import OWNED, Context, pool_of
from optimizer.verify.lines import Payment
from optimizer.verify.owned import RUNNING_KINDS, OwnedUnits, RunningLine, running_lines
from optimizer.verify.prices import billed_hours, price_of
from optimizer.verify.units import may_buy_of
from optimizer.verify.usage import hours_on
from optimizer.verify.work import moves

HourKey = tuple[str, str, str]
#: A quantity is a quotient kept to 28 digits.
HOURS_TOLERANCE = Fraction(1, 10**15)
QUANTITY_TOLERANCE = Fraction(1, 10**20)
#: Nodes and node-hours by (day, what).
Days = dict[tuple[int, Text], Fraction]


def check_hourly(context: Context, checks: Checks) -> None:
    """Node-hours billed by the hour, as spot and under savings plans are those that the assignments run, day by day."""
    wanted: dict[HourKey, Days] = defaultdict(_no_days)
    for assignment in context.plan.assignments:
        for part in assignment.served_by:
            if not part.term.buys_units and part.nodes > 0:
                key = (assignment.workload, pool_of(assignment), str(part.term))
                _add_need(context, assignment, part, wanted[key])
    billed = _billed(context)
    for key in sorted({*wanted, *billed}):
        need, bill = wanted[key], billed[key]
        wrong = next((k for k in sorted({*need, *bill}) if abs(need[k] - bill[k]) > HOURS_TOLERANCE), None)
        where = ":".join(key)
        checks.add(f"needs.hourly[{where}]", wrong is None, _on_day(need, wrong), _on_day(bill, wrong))


def _on_day(days: Days, wrong: tuple[int, Text] | None) -> Text:
    return texts.SAME if wrong is None else filled(wrong[1], day=wrong[0], count=f"{float(days[wrong]):g}")


def _no_days() -> Days:
    return defaultdict(Fraction)


def _add_need(context: Context, a: Assignment, part: ServedBy, days: Days) -> None:
    offer = context.offer_of(a)
    line = next((p for p in context.plan.purchases if _pays(p, a, part)), None)
    price = price_of(offer, line) if offer is not None and line is not None else None
    for day in range(part.from_day, part.to_day):
        hours = hours_on(context, a, day)
        billed = Fraction(billed_hours(hours, price)) if price is not None else Fraction(hours)
        days[day, texts.NODES_ON_DAY] += part.nodes
        days[day, texts.NODE_HOURS_ON_DAY] += billed * part.nodes


def _pays(line: Purchase, a: Assignment, part: ServedBy) -> bool:
    same = line.kind == "machine" and line.term is part.term and pool_of(line) == pool_of(a)
    return same and a.workload in line.workloads


def is_by_the_hour(line: Purchase) -> bool:
    """Whether a line is service by the hour, as spot, or under a savings plan."""
    return line.kind == "machine" and line.term is not None and not line.term.buys_units


def _billed(context: Context) -> dict[HourKey, Days]:
    billed: dict[HourKey, Days] = defaultdict(_no_days)
    for line in context.plan.purchases:
        if is_by_the_hour(line) and line.end_day > line.start_day:
            days = billed[",".join(line.workloads), pool_of(line), str(line.term)]
            for day in range(line.start_day, line.end_day):
                days[day, texts.NODES_ON_DAY] += line.count
                days[day, texts.NODE_HOURS_ON_DAY] += Fraction(line.quantity) / (line.end_day - line.start_day)
    return billed


def check_owned_costs(context: Context, units: Sequence[OwnedUnits], checks: Checks) -> tuple[Payment, ...]:
    """Running lines of owned machines are exactly those that the file's figures ask for; returns their payments."""
    needed = sorted(running_lines(context, units), key=_order_of_need)
    stated = sorted((p for p in context.plan.purchases if p.kind in RUNNING_KINDS), key=_order_of_line)
    checks.equal("needs.running_lines", [_order_of_need(need) for need in needed], [_order_of_line(p) for p in stated])
    for need, line in zip(needed, stated, strict=False):
        where = f"{need.kind}:{need.pool}@{need.start}"
        close = abs(need.quantity - Fraction(line.quantity)) <= abs(need.quantity) * QUANTITY_TOLERANCE
        checks.add(f"needs.quantity[{where}]", close, float(need.quantity), line.quantity)
        priced = (need.unit, need.unit_price.normalize(), need.currency)
        checks.equal(f"needs.price[{where}]", priced, (line.unit, line.unit_price.normalize(), line.price_currency))
        checks.equal(f"needs.workloads[{where}]", need.workloads, line.workloads)
    return tuple(payment for need in needed for payment in need.payments)


def _order_of_need(need: RunningLine) -> tuple[str, str, int, int, int, int]:
    return (need.kind, need.pool, need.start, need.end, need.count, need.micros)


def _order_of_line(line: Purchase) -> tuple[str, str, int, int, int, int]:
    return (line.kind, pool_of(line), line.start_day, line.end_day, line.count, to_micros(line.cost))


def check_networks(context: Context, checks: Checks) -> None:
    """The network of owned machines is paid once with each machine."""
    needed = []
    for line in context.plan.purchases:
        record = may_buy_of(context, line.instance_type) if line.term is Term.OWNED and line.kind == "machine" else None
        if record is not None and record.network_per_node:
            micros = to_micros(record.network_per_node * line.fx_rate) * line.count
            needed.append((pool_of(line), line.start_day, line.end_day, line.count, "unit", micros))
    networks = [line for line in context.plan.purchases if line.kind == "network"]
    stated = [(pool_of(p), p.start_day, p.end_day, p.count, p.unit, to_micros(p.cost)) for p in networks]
    checks.equal("needs.networks", sorted(needed), sorted(stated))
    checks.equal("needs.network_units", [line.count for line in networks], [line.quantity for line in networks])


def check_moves(context: Context, checks: Checks) -> None:
    """Each change of configuration of steady work is paid once, on its day, where the work goes."""
    expected = []
    for name, work in context.works.items():
        mine = sorted((a for a in context.plan.assignments if a.workload == name), key=lambda a: a.from_day)
        days = moves(mine) if work.is_steady and work.move_cost else ()
        to = {a.from_day: (a.provider, a.region) for a in mine}
        expected += [((name,), day, day + 1, *to[day], work.move_cost.normalize()) for day in days]
    stated = [_move(line) for line in context.plan.purchases if line.kind == "move"]
    checks.equal("needs.moves", sorted(expected), sorted(stated))
    for index, line in enumerate(context.plan.purchases):
        if line.kind == "move":
            found = (line.count, line.quantity, line.unit, line.price_currency, line.instance_type)
            checks.equal(f"line.move[{index}]", (1, Decimal(1), "move", context.file.currency, None), found)


def _move(line: Purchase) -> tuple[tuple[str, ...], int, int, str, str, Decimal]:
    return (line.workloads, line.start_day, line.end_day, line.provider, line.region, line.unit_price.normalize())


def check_kinds(context: Context, checks: Checks) -> None:
    """Running costs belong to owned machines, storage and egress to rented ones."""
    for index, line in enumerate(context.plan.purchases):
        if line.kind in (*RUNNING_KINDS, "network"):
            checks.equal(f"line.provider[{index}:{line.kind}]", OWNED, line.provider)
        elif line.kind in ("storage", "egress"):
            checks.add(f"line.provider[{index}:{line.kind}]", line.provider != OWNED, texts.SELLER, line.provider)

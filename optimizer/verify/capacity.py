"""Limits over many lines at once: quotas, the hourly cash rate, the site's power. All are step functions of days."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from optimizer.domain.offer import Offer, Price, Term
from optimizer.domain.plan import Purchase, QuotaUse
from optimizer.domain.units import HOURS_PER_DAY
from optimizer.domain.workload import Quota
from optimizer.verify import texts
from optimizer.verify.check import Checks, filled
from optimizer.verify.context import Context, pool_of
from optimizer.verify.limits import matches
from optimizer.verify.lines import is_rent
from optimizer.verify.owned import OwnedUnits, exact
from optimizer.verify.packing import Load, window_of
from optimizer.verify.prices import price_of
from optimizer.verify.units import Units, all_units

#: The rate and power that are compared may each be rounded once per line by the planner (micros, watts).
RATE_SLACK = Fraction(1, 10**4)


@dataclass(frozen=True, slots=True)
class Step:
    """A weight that counts on [start, end)."""

    start: int
    end: int
    weight: Fraction


def peak(steps: Sequence[Step]) -> Fraction:
    """The highest sum on any day."""
    return max((peak_on(steps, day) for day in {step.start for step in steps}), default=Fraction(0))


def peak_on(steps: Iterable[Step], day: int) -> Fraction:
    """The sum on one day."""
    return sum((s.weight for s in steps if s.start <= day < s.end), Fraction(0))


def check_quotas(context: Context, checks: Checks) -> None:
    """Every quota of the file holds on every day on which the plan adds something, and the plan states its true peak.

    What is paid for already stands in the same account and takes up room; above a limit by itself it leaves none, and
    breaks nothing.
    """
    units = all_units(context)
    stated = list(context.plan.quotas)
    checks.equal("limits.quotas_listed", len(context.file.quotas), len(stated))
    for index, quota in enumerate(context.file.quotas):
        sunk = list(_unit_steps(context, quota, (unit for unit in units if unit.is_sunk)))
        new = list(_quota_steps(context, quota, [unit for unit in units if not unit.is_sunk]))
        where = f"{index}:{quota.provider}/{quota.gpu}/{quota.term}"
        if quota.max_nodes is not None:
            most = _highest_with_new([step for step, _ in new], [step for step, _ in sunk])
            checks.at_most(f"limits.quota_nodes[{where}]", quota.max_nodes, int(most))
        if quota.max_gpus is not None:
            most = _highest_with_new(_in_gpus(new), _in_gpus(sunk))
            checks.at_most(f"limits.quota_gpus[{where}]", quota.max_gpus, int(most))
        if index < len(stated):
            _check_peak(context, quota, units, stated[index], where, checks)


def _in_gpus(nodes: Iterable[tuple[Step, int]]) -> list[Step]:
    return [Step(step.start, step.end, step.weight * gpus) for step, gpus in nodes]


def _highest_with_new(new: Sequence[Step], sunk: Sequence[Step]) -> Fraction:
    """The highest sum of both on any day on which there is something new."""
    days = {day for step in new for day in (step.start, *(s.start for s in sunk if step.start <= s.start < step.end))}
    return max((peak_on([*new, *sunk], day) for day in days), default=Fraction(0))


def _check_peak(
    context: Context, quota: Quota, units: Sequence[Units], stated: QuotaUse, where: str, checks: Checks
) -> None:
    """The stated peak, in GPUs where the quota limits GPUs, counts sunk units too: they stand in the same account."""
    steps = _quota_steps(context, quota, units)
    in_gpus = quota.max_gpus is not None
    counted = _in_gpus(steps) if in_gpus else [step for step, _ in steps]
    checks.equal(f"limits.quota_peak[{where}]", int(peak(counted)), stated.peak)
    named = quota.model_dump(mode="json")
    checks.equal(f"limits.quota[{where}]", named, {**named, **stated.quota})


def _quota_steps(context: Context, quota: Quota, units: Iterable[Units]) -> Iterator[tuple[Step, int]]:
    yield from _unit_steps(context, quota, units)
    pools = _covered_pools(context, quota)
    hourly = tuple(term for term in Term if term is Term.ON_DEMAND or term.is_savings_plan)
    kinds = {"any": (*hourly, Term.SPOT), "hourly": hourly, "spot": (Term.SPOT,), "term": ()}
    for a in context.plan.assignments:
        for part in a.served_by if pool_of(a) in pools else ():
            if part.term in kinds[quota.term]:
                yield Step(part.from_day, part.to_day, Fraction(part.nodes)), pools[pool_of(a)].machine.gpu_count


def _unit_steps(context: Context, quota: Quota, units: Iterable[Units]) -> Iterator[tuple[Step, int]]:
    pools = _covered_pools(context, quota) if quota.term in ("any", "term") else {}
    for unit in units:
        if unit.pool in pools:
            yield Step(unit.start, unit.end, Fraction(unit.count)), pools[unit.pool].machine.gpu_count


def _covered_pools(context: Context, quota: Quota) -> dict[str, Offer]:
    return {key: offer for key, offer in context.offers.items() if quota_covers(quota, offer)}


def quota_covers(quota: Quota, offer: Offer) -> bool:
    """Whether a quota's patterns match an offer."""
    pairs = (
        (quota.provider, offer.provider),
        (quota.region, offer.region),
        (quota.instance_type, offer.instance_type),
        (quota.gpu, offer.machine.gpu_model),
    )
    return all(matches((glob,), name) for glob, name in pairs)


def check_max_hourly(context: Context, checks: Checks) -> None:
    """The rented cash rate stays under `max_hourly` at every hour."""
    limit = context.file.max_hourly
    if limit is None:
        return
    rents = [step for line in context.plan.purchases for step in _rent_rate(context, line)]
    loads = list(_hourly_rates(context))
    hours = sorted({0, *(load.hours[0] for load, _ in loads if load.hours)})
    worst = Fraction(0)
    for hour in hours:
        running = [Step(load.start, load.end, rate * load.nodes) for load, rate in loads if load.runs_at(hour)]
        worst = max(worst, peak([*rents, *running]))
    ok = worst <= exact(limit) + RATE_SLACK
    checks.add("limits.max_hourly", ok, filled(texts.AT_MOST, limit=limit), f"{float(worst):.6f}")


def _rent_rate(context: Context, line: Purchase) -> Iterator[Step]:
    if line.kind == "commitment":
        rate = exact(line.unit_price) * exact(line.fx_rate) * exact(line.tax_factor)
        yield Step(line.start_day, line.end_day, rate)
    if is_rent(line):
        offer = context.offers.get(pool_of(line))
        price = price_of(offer, line) if offer else None
        if price is not None:
            hours = (line.end_day - line.start_day) * HOURS_PER_DAY
            total = exact(line.cost) if line.end_day <= context.plan.horizon_days else _whole(context, line, price)
            yield Step(line.start_day, line.end_day, total / hours)


def _whole(context: Context, line: Purchase, price: Price) -> Fraction:
    """The cost of a rent over its whole term, also where only its days inside the horizon are counted."""
    if context.plan.after_horizon == "stop":
        return exact(line.cost)
    inside = context.plan.horizon_days - line.start_day
    return exact(line.cost) * (line.end_day - line.start_day) / inside


def _hourly_rates(context: Context) -> Iterator[tuple[Load, Fraction]]:
    for line in context.plan.purchases:
        if line.kind != "machine" or line.term not in (Term.ON_DEMAND, Term.SPOT):
            continue
        hours = next((window_of(context, a) for a in context.plan.assignments if a.workload in line.workloads), None)
        rate = exact(line.unit_price) * exact(line.fx_rate) * exact(line.tax_factor)
        yield Load(pool_of(line), str(line.term), line.start_day, line.end_day, hours, line.count, 1), rate


def check_site_power(context: Context, owned: Sequence[OwnedUnits], checks: Checks) -> None:
    """Sum of load kW x PUE of all owned machines that are there stays within the site's power on every day."""
    limit = context.file.owned.site_power_kw
    if limit is None:
        return
    pue = exact(context.file.owned.pue)
    steps = [Step(u.start, u.end, exact(u.record.load_kw) * pue * u.count) for u in owned]
    worst = peak(steps)
    most, ok = filled(texts.AT_MOST, limit=f"{limit} kW"), worst <= exact(limit) + RATE_SLACK
    checks.add("limits.site_power", ok, most, f"{float(worst):.3f} kW")

"""From a solution's ids to the plan file."""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from importlib.metadata import version
from itertools import pairwise
from math import ceil

from optimizer import __version__
from optimizer.catalog import Catalog
from optimizer.catalog.facts import first_tier_gb
from optimizer.domain.finding import Finding
from optimizer.domain.money import from_micros
from optimizer.domain.offer import Availability, Offer, PriceKind
from optimizer.domain.plan import (
    Assignment,
    CashMonth,
    CatalogUsed,
    Cost,
    FxUsed,
    Plan,
    Purchase,
    QuotaUse,
    Removal,
    Sunk,
    Unknown,
    Usage,
)
from optimizer.domain.service import ServiceQuote
from optimizer.domain.workload import WorkloadFile
from optimizer.planning.assembly import Assembly, Placed
from optimizer.planning.calendar import date_of
from optimizer.planning.candidates import Candidate
from optimizer.planning.case import Case
from optimizer.planning.commitment_lines import commitment_lines
from optimizer.planning.plan_lines import Line, LineBuilder, ServedDays
from optimizer.planning.runs import run_of
from optimizer.planning.serving import served_by, served_days, unit_blocks, usage_rows
from optimizer.planning.workload_file import dump_workload
from optimizer.program.problem import Solution
from optimizer.rules import Policy

PROVEN_ABSOLUTE_MICROS = 10_000
PROVEN_RELATIVE = Fraction(1, 10**6)
NO_TEAM = "-"
QUOTED_COMMAND = re.compile(r"`([^`]+)`")


def plan_of(assembly: Assembly, solution: Solution, catalog: Catalog) -> Plan:
    """The plan file of a solution; extras (alternatives, prices of rules, baseline) are added later."""
    return _PlanWriter(assembly, solution, catalog).plan()


def infeasible_plan(case: Case, policy: Policy, catalog: Catalog, empty_works: tuple[int, ...]) -> Plan:
    """The answer when nothing works: what each filter and rule removed; relaxations are added later."""
    removals = [*case.removals.entries, *rule_removals(case, policy)]
    return Plan(
        status="infeasible",
        currency=case.file.currency,
        as_of=case.options.as_of,
        start=case.file.start,
        horizon_days=case.horizon.days,
        horizon_months=case.horizon.months,
        after_horizon=case.file.after_horizon,
        profile=policy.profile,
        cost=None,
        removals=tuple(removals),
        notes=(*case.notes, *(f"nothing can run {case.work(index).name}" for index in empty_works)),
        catalog=_catalog_used(catalog, []),
        inputs=dump_workload(case.file),
        options=case.options.recorded(),
        versions=_versions(),
    )


def rule_removals(case: Case, policy: Policy) -> Iterator[Removal]:
    """How many supplies fall to memory, to each rule, and to time, one workload after another.

    A supply counts once, under the first cause that takes its last configuration.
    """
    for facts, candidates, misfits in zip(case.works, case.candidates, case.misfits, strict=True):
        name = facts.work.name
        usable = {candidate.supply.key for candidate in candidates}
        unfit = {item.supply.key for item in misfits} - usable
        left = len(usable)
        if unfit:
            yield Removal(filter=f"{name}: does not fit in memory", removed=len(unfit), left=left)
        causes = _causes(case, facts.index, candidates, policy)
        for cause, keys in sorted(causes.items(), key=lambda item: -len(item[1])):
            left -= len(keys)
            yield Removal(filter=f"{name}: {cause}", removed=len(keys), left=left)


def _causes(case: Case, work: int, candidates: tuple[Candidate, ...], policy: Policy) -> dict[str, set[str]]:
    """Supplies by what takes them out: the rule that fails in the configuration nearest to being admitted, or time."""
    nearest: dict[str, tuple[int, str]] = {}
    for candidate in candidates:
        judgement = case.judge(candidate, policy)
        fails = len(judgement.fails)
        cause = f"rule {min(judgement.fails)}" if judgement.fails else "too slow for its days or hours"
        if not fails and any(run_of(candidate, case.work(work), task) is not None for task in case.tasks_of_work(work)):
            cause, fails = "", -1
        key = candidate.supply.key
        if key not in nearest or fails < nearest[key][0]:
            nearest[key] = (fails, cause)
    causes: dict[str, set[str]] = {}
    for key, (_, cause) in nearest.items():
        if cause:
            causes.setdefault(cause, set()).add(key)
    return causes


class _PlanWriter:
    def __init__(self, assembly: Assembly, solution: Solution, catalog: Catalog) -> None:
        self.assembly = assembly
        self.case = assembly.case
        self.solution = solution
        self.catalog = catalog
        self.days: ServedDays = served_days(assembly, solution)
        self.chosen = [assembly.placed[identity] for identity in solution.placements if identity in assembly.placed]

    def plan(self) -> Plan:
        case = self.case
        builder = LineBuilder(self.assembly, self.solution, self.days)
        lines = [*builder.lines(), *commitment_lines(self.assembly, self.solution, self.days)]
        assignments = tuple(self._assignments())
        return Plan(
            status="optimal" if self._is_proven() else "feasible",
            currency=case.file.currency,
            as_of=case.options.as_of,
            start=case.file.start,
            horizon_days=case.horizon.days,
            horizon_months=case.horizon.months,
            after_horizon=case.file.after_horizon,
            profile=self.assembly.policy.profile,
            cost=self._cost(lines),
            assignments=assignments,
            purchases=tuple(line.purchase for line in lines),
            cash_flow=self._cash_flow(lines),
            usage=tuple(self._usage()),
            sunk=tuple(self._sunk()),
            quotas=tuple(self._quotas()),
            fx=self._fx(lines),
            unknowns=self._unknowns(assignments),
            rules_below_strict=tuple(sorted(self.assembly.policy.relaxed & _below(assignments))),
            removals=tuple(case.removals.entries),
            ties_settled=self.solution.ties_settled,
            incomplete=self._incomplete(),
            notes=(*case.notes, *self._sold_out(), *dict.fromkeys(self._beyond_first_tier()), *empty_months(case.file)),
            offers=self._offers(),
            service_quotes=self._service_quotes(),
            catalog=_catalog_used(self.catalog, [line.purchase for line in lines]),
            inputs=dump_workload(case.file),
            options=case.options.recorded(),
            versions=_versions(),
        )

    def _is_proven(self) -> bool:
        cost, bound = self.solution.cost, self.solution.bound
        if cost is None or bound is None:
            return False
        return cost - bound <= max(PROVEN_ABSOLUTE_MICROS, int(cost * PROVEN_RELATIVE))

    # money

    def _cost(self, lines: list[Line]) -> Cost:
        total = sum((line.purchase.cost for line in lines), Decimal(0))
        discounted = self.case.file.discount_rate > 0
        minimized = from_micros(self.solution.cost or 0)
        bound = from_micros(self.solution.bound or 0)
        gap = Decimal(0) if self._is_proven() else minimized - bound
        return Cost(
            total=total,
            bound=bound,
            gap=gap,
            present_value=minimized if discounted else None,
            by_month=tuple(amount for _, amount in self._by_month(lines)),
            by_team=self._by_team(lines),
            by_term=_by_term(lines),
        )

    def _by_month(self, lines: list[Line]) -> list[tuple[int, Decimal]]:
        cash: dict[int, int] = {}
        for line in lines:
            for month, micros in self.case.horizon.cash(line.payments):
                cash[month] = cash.get(month, 0) + micros
        last = max([self.case.horizon.months - 1, *(month for month, micros in cash.items() if micros)])
        return [(month, from_micros(cash.get(month, 0))) for month in range(last + 1)]

    def _cash_flow(self, lines: list[Line]) -> tuple[CashMonth, ...]:
        starts = self.case.horizon.cash_month_starts
        return tuple(
            CashMonth(month=month, start=date_of(self.case.file.start, starts[month]), amount=amount)
            for month, amount in self._by_month(lines)
        )

    def _by_team(self, lines: list[Line]) -> dict[str, Decimal]:
        """Each line over its workloads by node-days on its pool, the last micro to the first in order."""
        teams = {work.name: work.team or NO_TEAM for work in self.case.file.workloads}
        sums: dict[str, int] = {}
        for line in lines:
            micros = int(line.purchase.cost * 10**6)
            names = line.purchase.workloads or tuple(teams)
            weights = list(line.weights) or [self._node_days(line, name) for name in names]
            if not sum(weights):
                weights = [Fraction(1)] * len(names)
            shares = [int(Fraction(micros) * weight / sum(weights)) for weight in weights]
            shares[0] += micros - sum(shares)
            for name, share in zip(names, shares, strict=True):
                sums[teams[name]] = sums.get(teams[name], 0) + share
        return {team: from_micros(amount) for team, amount in sorted(sums.items())}

    def _node_days(self, line: Line, name: str) -> Fraction:
        purchase = line.purchase
        if len(purchase.workloads) == 1:
            return Fraction(1)
        pool = f"{purchase.provider}/{purchase.region}/{purchase.instance_type}"
        total = Fraction(0)
        for identity in self.solution.placements:
            placed = self.assembly.placed.get(identity)
            if placed is None or self._name(placed) != name or placed.candidate.supply.key != pool:
                continue
            share = Fraction(placed.candidate.gpus_per_node, placed.candidate.supply.machine.gpu_count)
            for day, terms in self.days[identity]:
                if purchase.start_day <= day < purchase.end_day:
                    total += share * sum(nodes for term, nodes in terms.items() if term.buys_units)
        return total

    # work

    def _name(self, placed: Placed) -> str:
        return self.case.work(placed.candidate.work).name

    def _assignments(self) -> Iterable[Assignment]:
        for index, work in enumerate(self.case.file.workloads):
            mine = [
                (identity, self.assembly.placed[identity])
                for identity in self.assembly.real_placements(self.solution.placements)
                if self.assembly.placed[identity].candidate.work == index
            ]
            mine.sort(key=lambda item: (item[1].task.repetition, item[1].start))
            for group in _stretches(mine) if work.is_steady else [[item] for item in mine]:
                yield self._assignment(group)

    def _assignment(self, group: list[tuple[int, Placed]]) -> Assignment:
        first, last = group[0][1], group[-1][1]
        candidate, fit = first.candidate, first.candidate.fit
        supply, work = candidate.supply, self.case.work(first.candidate.work)
        days = [day for identity, _ in group for day in self.days[identity]]
        findings = self.case.findings(candidate, self.assembly.policy)
        run_hours = sum(placed.run.total_hours for _, placed in group)
        return Assignment(
            workload=work.name,
            repetition=first.task.repetition,
            team=work.team,
            from_=date_of(self.case.file.start, first.start),
            to=date_of(self.case.file.start, last.end),
            from_day=first.start,
            to_day=last.end,
            provider=supply.provider,
            region=supply.region,
            instance_type=supply.instance_type,
            gpu_model=supply.machine.gpu_model,
            gpus_per_node=supply.machine.gpu_count,
            gpus_used_per_node=candidate.gpus_per_node,
            nodes=candidate.nodes,
            layout=None if fit is None else fit.layout,
            memory_gib_per_gpu={} if fit is None else dict(fit.memory_gib),
            usable_gib=supply.machine.gpu_memory_usable_gib if fit is None else fit.usable_gib,
            host_memory_gib=None if fit is None else fit.host_memory_gib,
            tokens_per_second=candidate.tokens_per_second,
            interval=None if fit is None else fit.interval,
            mfu=None if fit is None else fit.mfu,
            binds=None if fit is None else fit.binds,
            run_hours=run_hours,
            hours_per_day=first.run.busiest_hours,
            finish_day=last.end - 1,
            start_hour=0 if work.window is None else int(work.window.from_[:2]),
            spot=candidate.is_spot,
            served_by=served_by(days),
            conditional=any(finding.is_conditional for finding in findings) or bool(candidate.storage.missing),
            rules=findings,
        )

    def _usage(self) -> Iterable[Usage]:
        for identity in self.assembly.real_placements(self.solution.placements):
            placed = self.assembly.placed[identity]
            yield from usage_rows(self.assembly, placed, self.days[identity], self._name(placed))

    def _sunk(self) -> Iterable[Sunk]:
        for supply in self.assembly.supplies:
            for sunk in supply.sunk:
                yield Sunk(
                    pool=supply.key,
                    name=sunk.name,
                    count=sunk.count,
                    from_day=sunk.from_day,
                    to_day=sunk.to_day,
                    term=sunk.term,
                    used_unit_days=self._used_days(supply.key, sunk.from_day, sunk.to_day, sunk.count),
                )

    def _used_days(self, pool: str, start: int, end: int, count: int) -> int:
        """Unit-days on which sunk units work (they are used first)."""
        used: dict[int, Fraction] = {}
        for identity in self.assembly.real_placements(self.solution.placements):
            placed = self.assembly.placed[identity]
            if placed.candidate.supply.key == pool:
                share = Fraction(placed.candidate.gpus_per_node, placed.candidate.supply.machine.gpu_count)
                for day, terms in self.days[identity]:
                    nodes = sum(nodes for term, nodes in terms.items() if term.buys_units)
                    used[day] = used.get(day, Fraction(0)) + nodes * share
        return sum(min(count, ceil(nodes)) for day, nodes in used.items() if start <= day < end)

    def _quotas(self) -> Iterable[QuotaUse]:
        from optimizer.planning.quota_use import quota_peaks

        blocks = unit_blocks(self.assembly, self.solution)
        return quota_peaks(self.assembly, self.days, blocks)

    # facts

    def _fx(self, lines: list[Line]) -> tuple[FxUsed, ...]:
        used = {line.purchase.price_currency for line in lines} | {self.case.file.currency}
        rates = self.case.rates.by_currency
        return tuple(
            FxUsed(currency=rate.currency, units_per_usd=rate.units_per_usd, day=rate.day, source=rate.source)
            for currency, rate in sorted(rates.items())
            if currency in used and used != {currency}
        )

    def _unknowns(self, assignments: tuple[Assignment, ...]) -> tuple[Unknown, ...]:
        found: dict[tuple[str, str], Unknown] = {}
        for assignment in assignments:
            offer = f"{assignment.provider}/{assignment.region}/{assignment.instance_type}"
            for finding in assignment.rules:
                if finding.is_conditional:
                    found.setdefault((offer, finding.id), _unknown(offer, assignment.provider, finding))
        return tuple(found.values())

    def _incomplete(self) -> tuple[str, ...]:
        missing = {
            f"{self._name(placed)}: {what} on {placed.candidate.supply.key}"
            for placed in self.chosen
            for what in placed.candidate.storage.missing
        }
        return tuple(sorted(missing))

    def _sold_out(self) -> Iterator[str]:
        """Machines to rent that the provider said it had none of: a price is no capacity."""
        used = {placed.candidate.supply.key: placed.candidate.supply for placed in self.chosen}
        for key, supply in sorted(used.items()):
            if supply.offer is not None and supply.offer.availability is Availability.NONE:
                yield f"{key}: sold out when the provider was asked ({supply.machine.observed or 'undated'})"

    def _beyond_first_tier(self) -> Iterator[str]:
        """Volumes larger than the tier whose price is counted on all of them (docs/adr/0004-accounting.md)."""
        for placed in self.chosen:
            supply, stored = placed.candidate.supply, placed.candidate.storage
            for volume in filter(None, (stored.hot, stored.cold)):
                limit = None if volume.quote is not None else first_tier_gb(volume.product)
                if limit is not None and volume.size_gb > limit:
                    yield (
                        f"{self._name(placed)}: {volume.size_gb:,.0f} GB on {supply.provider} {volume.product}: the "
                        f"first tier's price is counted on all of it; what lies above {limit:,.0f} GB may cost less"
                    )

    def _service_quotes(self) -> tuple[ServiceQuote, ...]:
        """The quotes that storage and egress lines rest on."""
        stored = (placed.candidate.storage for placed in self.chosen)
        volumes = (volume for plan in stored for volume in (plan.hot, plan.cold, plan.egress) if volume is not None)
        used = {volume.quote.source: volume.quote for volume in volumes if volume.quote is not None}
        return tuple(used[source] for source in sorted(used))

    def _offers(self) -> tuple[Offer, ...]:
        used = {placed.candidate.supply.key for placed in self.chosen}
        used |= {supply.key for supply in self.case.standing}
        return tuple(
            supply.offer for supply in self.assembly.supplies if supply.key in used and supply.offer is not None
        )


def _catalog_used(catalog: Catalog, lines: list[Purchase]) -> CatalogUsed:
    """Which catalog answered, and how old the prices are that the plan rests on (the file's own figures apart)."""
    dates = [line.observed for line in lines if line.price_kind != PriceKind.QUOTE.value]
    known = [day for day in dates if day is not None]
    return CatalogUsed(
        files=catalog.files,
        rows=catalog.table.sales,
        prices=catalog.table.prices,
        sha256=catalog.checksum,
        oldest_price=min(known, default=None),
        undated_prices=len(dates) - len(known),
    )


def empty_months(file: WorkloadFile) -> Iterator[str]:
    """What a month of 0 tokens of steady work leaves out, for whoever reads the total."""
    for work in file.workloads:
        tokens = work.tokens_per_month
        empty = [month + 1 for month, amount in enumerate(tokens) if not amount] if isinstance(tokens, tuple) else []
        if empty:
            months = ", ".join(map(str, empty))
            yield f"{work.name}: no tokens in month {months}: nothing runs and nothing is kept in storage there"


def _stretches(mine: list[tuple[int, Placed]]) -> list[list[tuple[int, Placed]]]:
    """Consecutive months of steady work on one configuration with the same hours a day."""
    groups = [[mine[0]]]
    for before, after in pairwise(mine):
        same = before[1].candidate.index == after[1].candidate.index and before[1].run.hours == after[1].run.hours
        if same and before[1].end == after[1].start:
            groups[-1].append(after)
        else:
            groups.append([after])
    return groups


def _by_term(lines: list[Line]) -> dict[str, Decimal]:
    sums: dict[str, Decimal] = {}
    for line in lines:
        name = line.purchase.summed_under
        sums[name] = sums.get(name, Decimal(0)) + line.purchase.cost
    return dict(sorted(sums.items()))


def _below(assignments: tuple[Assignment, ...]) -> frozenset[str]:
    return frozenset(finding.id for item in assignments for finding in item.rules if finding.below_strict)


def _unknown(offer: str, provider: str, finding: Finding) -> Unknown:
    return Unknown(
        offer=offer,
        rule=finding.id,
        what_en=finding.confirm_en or finding.message_en,
        what_zh=finding.confirm_zh or finding.message_zh,
        confirm_with=provider,
        command="; ".join(QUOTED_COMMAND.findall(finding.confirm_en)),
    )


def _versions() -> dict[str, str]:
    return {"optimize": __version__, "pulp": version("pulp"), "highspy": version("highspy")}

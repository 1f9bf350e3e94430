"""Two plans side by side: money by line, term, team and month, what runs where, what is to be confirmed."""

from collections.abc import Iterable, Set
from dataclasses import dataclass
from decimal import Decimal

from optimizer.domain.plan import Assignment, FxUsed, Plan
from optimizer.planning.case import RECORDED_OPTIONS, PlanOptions

NOTHING = Decimal(0)
#: What a workload may need and nobody states a price of, and the kind of its lines.
SERVICES = {"storage": "storage", "cold storage": "storage", "egress": "egress"}
SHOWN_DIGITS = 12
#: Options whose names on the command line are others than those of their records.
OPTION_NAMES = {"providers": "--provider", "regions": "--region", "max_age_days": "--max-age"}


@dataclass(frozen=True, slots=True)
class Row:
    """One thing in both plans; `None` where a plan does not have it. `code`: the term or kind at the name's end.

    `is_open`: a plan lacks prices of it, so that what is stated is the least it can cost.
    """

    name: str
    first: Decimal | None
    second: Decimal | None
    code: str = ""
    is_open: bool = False

    @property
    def difference(self) -> Decimal | None:
        """What the second has more; what a plan does not have counts nothing. Unknown where a plan lacks prices."""
        return None if self.is_open else (self.second or NOTHING) - (self.first or NOTHING)


@dataclass(frozen=True, slots=True)
class WorkRow:
    """One workload in both plans: machines in words and the last day's date, empty where it does not run."""

    workload: str
    first: tuple[str, str]
    second: tuple[str, str]

    @property
    def is_same(self) -> bool:
        """Whether nothing differs."""
        return self.first == self.second


@dataclass(frozen=True)
class Comparison:
    """The whole answer. Money is compared in one currency; plans in two are refused by the caller."""

    total: Row
    bound: Row
    lines: tuple[Row, ...]
    terms: tuple[Row, ...]
    teams: tuple[Row, ...]
    months: tuple[Row, ...]
    works: tuple[WorkRow, ...]
    inputs: tuple[tuple[str, object, object], ...]
    unknowns: tuple[tuple[str, ...], tuple[str, ...]]
    sunk: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    @property
    def has_other_sunk(self) -> bool:
        """Whether one plan has machines or commitments already that the other has not: its total leaves them out."""
        return self.sunk[0] != self.sunk[1]


def compare(first: Plan, second: Plan, asked: Plan | None = None) -> Comparison:
    """Two plans of one currency, side by side.

    `asked` is the second plan as it was made, where `second` holds its amounts converted: what was asked is told of it.
    """
    asked, is_open = asked or second, bool(first.incomplete or second.incomplete)
    kinds = _kinds_without_price(first) | _kinds_without_price(second)
    return Comparison(
        total=Row("total", _total(first), _total(second), is_open=is_open),
        bound=Row("bound", _bound(first), _bound(second), is_open=is_open),
        lines=_rows(_lines(first), _lines(second), kinds),
        terms=_rows(_coded(first), _coded(second), kinds),
        teams=_rows(_by(first, "by_team"), _by(second, "by_team")),
        months=_rows(_months(first), _months(second)),
        works=tuple(_works(first, second)),
        inputs=tuple(_questions(first, asked)),
        unknowns=(_facts(first), _facts(second)),
        sunk=(_sunk(first), _sunk(second)),
    )


def _sunk(plan: Plan) -> tuple[str, ...]:
    """What is there already, by count and name."""
    return tuple(sorted(f"{one.count} × {one.name}" for one in plan.sunk))


def _kinds_without_price(plan: Plan) -> set[str]:
    """Kinds of lines that some workload needs and no price is known for: "a: storage on lambda/global/x"."""
    return {kind for what, kind in SERVICES.items() for line in plan.incomplete if f": {what} on " in line}


def _total(plan: Plan) -> Decimal | None:
    return None if plan.cost is None else plan.cost.total


def _bound(plan: Plan) -> Decimal | None:
    return None if plan.cost is None else plan.cost.bound


def _coded(plan: Plan) -> dict[tuple[str, str], Decimal]:
    return {} if plan.cost is None else {(code, code): cost for code, cost in plan.cost.by_term.items()}


def _by(plan: Plan, name: str) -> dict[tuple[str, str], Decimal]:
    return {} if plan.cost is None else {(key, ""): cost for key, cost in getattr(plan.cost, name).items()}


def _months(plan: Plan) -> dict[tuple[str, str], Decimal]:
    return {(month.start.isoformat(), ""): month.amount for month in plan.cash_flow}


def _lines(plan: Plan) -> dict[tuple[str, str], Decimal]:
    """Cost by machine and term, or kind of line, and place: by name and its code."""
    sums: dict[tuple[str, str], Decimal] = {}
    for line in plan.purchases:
        is_machine = line.kind == "machine" and line.term is not None
        code = line.summed_under
        what = f"{line.instance_type} {code}" if is_machine else code
        key = (f"{line.provider}/{line.region} {what}", code)
        sums[key] = sums.get(key, NOTHING) + line.cost
    return sums


def _rows(
    first: dict[tuple[str, str], Decimal], second: dict[tuple[str, str], Decimal], open_kinds: Set[str] = frozenset()
) -> tuple[Row, ...]:
    keys = dict.fromkeys([*first, *second])
    return tuple(Row(key[0], first.get(key), second.get(key), key[1], key[1] in open_kinds) for key in keys)


def _works(first: Plan, second: Plan) -> Iterable[WorkRow]:
    runs = [_runs(plan) for plan in (first, second)]
    for name in dict.fromkeys([*runs[0], *runs[1]]):
        yield WorkRow(name, runs[0].get(name, ("", "")), runs[1].get(name, ("", "")))


def _runs(plan: Plan) -> dict[str, tuple[str, str]]:
    machines: dict[str, list[Assignment]] = {}
    for assignment in plan.assignments:
        machines.setdefault(assignment.workload, []).append(assignment)
    return {name: (_machines(mine), max(a.to for a in mine).isoformat()) for name, mine in machines.items()}


def _machines(assignments: list[Assignment]) -> str:
    named = (f"{a.nodes} × {a.provider}/{a.region}/{a.instance_type}{_terms(a)}" for a in assignments)
    return "; ".join(dict.fromkeys(named))


def _terms(assignment: Assignment) -> str:
    terms = {"spot"} if assignment.spot else {served.term.value for served in assignment.served_by if served.nodes}
    return f" ({'+'.join(sorted(terms))})" if terms else ""


def _questions(first: Plan, second: Plan) -> Iterable[tuple[str, object, object]]:
    """Everything that was asked differently: the workload files, the command line, the catalog and its rates."""
    yield from _inputs(first.inputs, second.inputs)
    yield from _inputs(_command_line(first), _command_line(second))
    yield from _inputs(_circumstances(first), _circumstances(second))


def _command_line(plan: Plan) -> dict[str, object]:
    """The options that change an answer, under the names of the command line; those left out at their defaults."""
    options = PlanOptions.of_record(plan.as_of, plan.options)
    named = {OPTION_NAMES.get(name, f"--{name.replace('_', '-')}"): getattr(options, name) for name in RECORDED_OPTIONS}
    return {"--as-of": plan.as_of, **named}


def _circumstances(plan: Plan) -> dict[str, object]:
    """The catalog and the rates that a plan rests on; a rate is told where both plans use the currency."""
    catalog = None if plan.catalog is None else f"sha256 {plan.catalog.sha256[:SHOWN_DIGITS]}"
    return {"catalog": catalog, "fx": {f"USD{used.currency}": _rate(used) for used in plan.fx}}


def _rate(used: FxUsed) -> str:
    day = "" if used.day is None else f" ({used.day.isoformat()})"
    return f"{used.units_per_usd}{day}"


def _inputs(first: object, second: object, path: str = "") -> Iterable[tuple[str, object, object]]:
    """Fields of the two workload files that differ: path, first, second."""
    if isinstance(first, dict) and isinstance(second, dict):
        for key in dict.fromkeys([*first, *second]):
            yield from _inputs(first.get(key), second.get(key), f"{path}.{key}" if path else str(key))
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for position, (one, other) in enumerate(zip(first, second, strict=True)):
            yield from _inputs(one, other, f"{path}.{position}")
    elif first != second:
        yield path, first, second


def _facts(plan: Plan) -> tuple[str, ...]:
    return tuple(f"{unknown.offer}: {unknown.rule}" for unknown in plan.unknowns)

"""The use case `compare`: two plan files in, what differs out."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from optimizer.app.compare_verdict import Verdict
from optimizer.app.compare_words import InWords, typed
from optimizer.app.convert import converted
from optimizer.app.verify import failed_checks, read_plan
from optimizer.catalog import load_catalog
from optimizer.domain.money import USD, Rate, Rates
from optimizer.domain.plan import Plan
from optimizer.domain.text import Language
from optimizer.errors import InputError, Problem
from optimizer.explain import texts
from optimizer.explain.compare import Comparison, Row, compare
from optimizer.reports.numbers import Numbers, clean

RATE_PLACES = 9


@dataclass(frozen=True)
class Compared:
    """Two plans, the files they came from, and what differs.

    `rate`: by what the second plan's amounts are multiplied where it is in another currency. `failed`: how many checks
    of `optimize verify` each plan fails.
    """

    paths: tuple[Path, Path]
    first: Plan
    second: Plan
    result: Comparison
    rate: Decimal | None = None
    failed: tuple[int, int] = (0, 0)

    def to_json(self) -> dict[str, Any]:
        """Every row with both values and the difference."""
        result = self.result
        return {
            "a": _head(self.paths[0], self.first, self.failed[0]),
            "b": _head(self.paths[1], self.second, self.failed[1]),
            "currency": self.first.currency,
            "rate": None if self.rate is None else round(self.rate, RATE_PLACES),
            "difference": result.total.difference if self.first.cost and self.second.cost else None,
            "comparable": self._verdict.is_comparable,
            **{name: list(map(_row, getattr(result, name))) for name in ("lines", "terms", "teams", "months")},
            "workloads": [
                {"workload": row.workload, "a": _work(row.first), "b": _work(row.second), "same": row.is_same}
                for row in result.works
            ],
            "inputs": [{"path": path, "a": typed(a), "b": typed(b)} for path, a, b in result.inputs],
            "to_confirm": {"a": list(result.unknowns[0]), "b": list(result.unknowns[1])},
        }

    def heads(self, language: Language) -> list[str]:
        """The heads of the table of money."""
        return [head.say(language, currency=self.first.currency) for head in texts.COMPARE_HEADS]

    def tables(self, language: Language) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
        """Titled tables of money: name, A, B, B − A; rows that are alike in both stay, so that sums can be seen."""
        numbers = Numbers(language, self.first.currency)
        result = self.result
        lines = (*result.lines, replace(result.total, name=texts.TOTAL.say(language)))
        for title, rows in (
            (texts.BY_LINE, lines),
            (texts.BY_TERM, result.terms),
            (texts.BY_TEAM, result.teams if len(result.teams) > 1 else ()),
            (texts.BY_MONTH, result.months if len(result.months) > 1 else ()),
        ):
            if rows:
                yield title.say(language), [_cells(row, numbers) for row in rows]

    @property
    def _verdict(self) -> Verdict:
        return Verdict(self.first, self.second, self.result, self.failed)

    def verdict(self, language: Language) -> str:
        """Which is cheaper, by how much; or why that is not known."""
        return self._verdict.said(language)

    def cautions(self, language: Language) -> Iterator[str]:
        """What a plan's total leaves out, and that its figures do not hold."""
        return self._verdict.cautions(language)

    def notes(self, language: Language) -> Iterator[tuple[str, list[str]]]:
        """Titled lists: what runs where, which inputs differ, what is to be confirmed."""
        yield texts.WORKS.say(language), list(self._works(language))
        first, second = (InWords(language, plan.currency) for plan in (self.first, self.second))
        differing = [
            texts.INPUT_DIFFERS.say(language, path=path, first=first.value(path, a), second=second.value(path, b))
            for path, a, b in self.result.inputs
        ]
        if differing:
            yield texts.INPUTS_DIFFER.say(language), differing
        counts = {name: len(facts) for name, facts in zip(("first", "second"), self.result.unknowns, strict=True)}
        yield texts.TO_CONFIRM.say(language, **counts), []

    def conversion(self, language: Language) -> str:
        """At which rate the second plan's amounts are shown; empty where both are in one currency."""
        if self.rate is None:
            return ""
        return texts.COMPARE_RATE.say(
            language, source=self.second.currency, target=self.first.currency, rate=f"{self.rate:.6g}"
        )

    def _works(self, language: Language) -> Iterable[str]:
        said = InWords(language, self.first.currency)
        for row in self.result.works:
            name = clean(row.workload)
            machines, end = row.first
            if row.is_same:
                yield texts.WORK_SAME.say(language, name=name, end=end, machines=said.machines(machines))
            else:
                runs = {"first": said.run("A", row.first), "second": said.run("B", row.second)}
                yield texts.WORK_DIFFERS.say(language, name=name, **runs)


def compare_files(first: Path, second: Path) -> Compared:
    """Two plan files side by side; a second plan in another currency is converted at the rates that it states.

    A rate that neither plan states is the last one of the catalog not after the second plan's date.

    Raises:
        InputError: a file is no plan, or there is no rate between their currencies.
    """
    one, other = read_plan(first), read_plan(second)
    failed = (len(failed_checks(one)), len(failed_checks(other)))
    if one.currency == other.currency:
        return Compared((first, second), one, other, compare(one, other), failed=failed)
    rates = _rates_of(one, other)
    try:
        rate = rates.factor(other.currency, one.currency)
    except KeyError as error:
        hint = "Give it in the workload file (fx:) and plan again."
        problem = Problem(str(second), "fx", "no rate", f"a rate for {error.args[0]}", None, hint)
        raise InputError(problem) from error
    shown = converted(other, one.currency, rates, "en")
    return Compared((first, second), one, other, compare(one, shown, other), rate, failed)


def _rates_of(first: Plan, second: Plan) -> Rates:
    """The rates that two plans state, the second's before the first's, and the catalog's for other currencies."""
    stated = {used.currency: used for plan in (first, second) for used in plan.fx}
    rates = {name: Rate(name, used.units_per_usd, used.day, used.source) for name, used in stated.items()}
    if {first.currency, second.currency} - {USD, *rates}:
        given = {pair: Decimal(str(units)) for pair, units in second.inputs.get("fx", {}).items()}
        rates = {**load_catalog(None).rates(second.as_of, given).by_currency, **rates}
    return Rates(rates)


def _head(path: Path, plan: Plan, failed: int) -> dict[str, Any]:
    return {
        "file": str(path),
        "status": plan.status,
        "currency": plan.currency,
        "total": None if plan.cost is None else plan.cost.total,
        "gap": None if plan.cost is None else plan.cost.gap,
        "as_of": plan.as_of,
        "profile": plan.profile,
        "missing_prices": list(plan.incomplete),
        "there_already": [one.name for one in plan.sunk],
        "failed_checks": failed,
    }


def _row(row: Row) -> dict[str, Any]:
    return {"name": row.name, "a": row.first, "b": row.second, "difference": row.difference}


def _work(run: tuple[str, str]) -> dict[str, Any] | None:
    return {"machines": run[0], "ends": run[1]} if run[0] else None


def _cells(row: Row, numbers: Numbers) -> tuple[str, ...]:
    difference = row.difference
    signed = numbers.amount(difference)
    signed = f"+{signed}" if difference is not None and difference > 0 else signed
    return (
        InWords(numbers.language, numbers.currency).name(row),
        numbers.amount(row.first),
        numbers.amount(row.second),
        signed,
    )


def title_of(compared: Compared, language: Language) -> str:
    """Which file is which, one on a line."""
    return texts.COMPARE_TITLE.say(language, first=str(compared.paths[0]), second=str(compared.paths[1]))

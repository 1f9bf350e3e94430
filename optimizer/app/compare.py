"""The use case `compare`: two plan files in, what differs out."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from optimizer.app.verify import read_plan
from optimizer.domain.plan import Plan
from optimizer.domain.text import Language, Text
from optimizer.errors import InputError, Problem
from optimizer.explain import texts
from optimizer.explain.compare import Comparison, Row, compare
from optimizer.reports.numbers import UNKNOWN, Numbers, clean


@dataclass(frozen=True)
class Compared:
    """Two plans, the files they came from, and what differs."""

    paths: tuple[Path, Path]
    first: Plan
    second: Plan
    result: Comparison

    def to_json(self) -> dict[str, Any]:
        """Every row with both values and the difference."""
        result = self.result
        return {
            "a": _head(self.paths[0], self.first),
            "b": _head(self.paths[1], self.second),
            "currency": self.first.currency,
            "difference": result.total.difference if self.first.cost and self.second.cost else None,
            **{name: list(map(_row, getattr(result, name))) for name in ("lines", "terms", "teams", "months")},
            "workloads": [
                {"workload": row.workload, "a": _work(row.first), "b": _work(row.second), "same": row.is_same}
                for row in result.works
            ],
            "inputs": [{"path": path, "a": first, "b": second} for path, first, second in result.inputs],
            "to_confirm": {"a": list(result.unknowns[0]), "b": list(result.unknowns[1])},
        }

    def heads(self, language: Language) -> list[str]:
        """The heads of the table of money."""
        return [head.say(language, currency=self.first.currency) for head in texts.COMPARE_HEADS]

    def tables(self, language: Language) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
        """Titled tables of money: name, A, B, B − A; rows that are alike in both stay, so that sums can be seen."""
        numbers = Numbers(language, self.first.currency)
        result = self.result
        lines = (*result.lines, Row(texts.TOTAL.say(language), result.total.first, result.total.second))
        for title, rows in (
            (texts.BY_LINE, lines),
            (texts.BY_TERM, result.terms),
            (texts.BY_TEAM, result.teams if len(result.teams) > 1 else ()),
            (texts.BY_MONTH, result.months if len(result.months) > 1 else ()),
        ):
            if rows:
                yield title.say(language), [_cells(row, numbers) for row in rows]

    def verdict(self, language: Language) -> str:
        """Which is cheaper, by how much."""
        numbers, total = Numbers(language, self.first.currency), self.result.total
        if total.first is None or total.second is None:
            return texts.INFEASIBLE.say(language)
        if total.difference == 0:
            return texts.VERDICT_SAME.say(language)
        dearer = max(total.first, total.second)
        return texts.VERDICT_CHEAPER.say(
            language,
            name="A" if total.difference > 0 else "B",
            amount=numbers.money(abs(total.difference)),
            percent=numbers.percent(float(abs(total.difference) / dearer)),
        )

    def notes(self, language: Language) -> Iterator[tuple[str, list[str]]]:
        """Titled lists: what runs where, which inputs differ, what is to be confirmed."""
        yield texts.WORKS.say(language), list(self._works(language))
        differing = [
            texts.INPUT_DIFFERS.say(language, path=path, first=clean(first), second=clean(second))
            for path, first, second in self.result.inputs
        ]
        if differing:
            yield texts.INPUTS_DIFFER.say(language), differing
        first, second = (len(facts) for facts in self.result.unknowns)
        yield texts.TO_CONFIRM.say(language, first=first, second=second), []

    def _works(self, language: Language) -> Iterable[str]:
        for row in self.result.works:
            (first, first_end), (second, second_end) = row.first, row.second
            name = clean(row.workload)
            if row.is_same:
                yield texts.WORK_SAME.say(language, name=name, end=first_end, machines=clean(first))
                continue
            yield texts.WORK_DIFFERS.say(
                language,
                name=name,
                first=clean(first) or UNKNOWN,
                first_end=first_end or UNKNOWN,
                second=clean(second) or UNKNOWN,
                second_end=second_end or UNKNOWN,
            )


def compare_files(first: Path, second: Path) -> Compared:
    """Two plan files side by side.

    Raises:
        InputError: a file is no plan, or they are in different currencies.
    """
    one, other = read_plan(first), read_plan(second)
    if one.currency != other.currency:
        hint = f"Plan again with --set currency={one.currency}."
        raise InputError(Problem(str(second), "currency", other.currency, f"{one.currency}, as in {first}", None, hint))
    return Compared((first, second), one, other, compare(one, other))


def _head(path: Path, plan: Plan) -> dict[str, Any]:
    return {
        "file": str(path),
        "status": plan.status,
        "total": None if plan.cost is None else plan.cost.total,
        "gap": None if plan.cost is None else plan.cost.gap,
        "as_of": plan.as_of,
        "profile": plan.profile,
    }


def _row(row: Row) -> dict[str, Any]:
    return {"name": row.name, "a": row.first, "b": row.second, "difference": row.difference}


def _work(run: tuple[str, str]) -> dict[str, Any] | None:
    return {"machines": run[0], "ends": run[1]} if run[0] else None


def _cells(row: Row, numbers: Numbers) -> tuple[str, ...]:
    difference = row.difference
    signed = numbers.amount(difference) if difference <= 0 else f"+{numbers.amount(difference)}"
    return clean(row.name), numbers.amount(row.first), numbers.amount(row.second), signed


def title_of(compared: Compared, language: Language) -> str:
    """Which file is which."""
    title: Text = texts.COMPARE_TITLE
    return title.say(language, first=str(compared.paths[0]), second=str(compared.paths[1]))

"""`--scenarios FILE`: what to commit now and what to rent by the hour later, over several futures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from optimizer.app.plan import with_options
from optimizer.catalog import load_catalog
from optimizer.catalog.asked import provider_problems
from optimizer.domain.money import from_micros
from optimizer.domain.text import LANGUAGES, Language
from optimizer.errors import InputError
from optimizer.explain import texts
from optimizer.explain.scenario_file import ScenarioFile, read_scenarios
from optimizer.explain.scenarios import Future, Hedge, NoHedge, hedge
from optimizer.planning.assembly import Bought
from optimizer.planning.case import PlanOptions
from optimizer.planning.pipeline import Planner
from optimizer.planning.workload_file import read_workload, set_by
from optimizer.reports.numbers import Numbers, clean
from optimizer.reports.phrases import in_chinese


@dataclass(frozen=True)
class Hedged:
    """The answer over all futures, with the planner that gave it."""

    planner: Planner
    result: Hedge | NoHedge

    @property
    def has_plan(self) -> bool:
        """Whether some commitments work in every future."""
        return isinstance(self.result, Hedge)

    def to_json(self) -> dict[str, Any]:
        """`{expected_cost, bound, commit, scenarios, cost_of_not_knowing, worst, by_the_hour}`."""
        messages = {language: self.lines(language) for language in LANGUAGES}
        result = self.result
        if isinstance(result, NoHedge):
            return {"status": "infeasible", "impossible": list(result.impossible), "messages": messages}
        return {
            "status": "optimal" if result.is_proven else "feasible",
            "currency": self.planner.file.currency,
            "expected_cost": from_micros(result.expected),
            "bound": from_micros(result.bound),
            "commit": [self._commit(bought, count) for bought, count in result.commit],
            "scenarios": [_future(future) for future in result.futures],
            "cost_of_not_knowing": _exact(result.cost_of_not_knowing),
            "worst": {"name": result.worst.name, "cost": from_micros(result.worst.cost)},
            "by_the_hour": None if result.by_the_hour is None else from_micros(result.by_the_hour),
            "messages": messages,
        }

    def _commit(self, bought: Bought, count: int) -> dict[str, Any]:
        start = self.planner.file.start
        return {
            "pool": bought.supply.key,
            "term": _term(bought),
            "count": count,
            "start": start + timedelta(days=bought.start),
            "end": start + timedelta(days=bought.end),
            "cost": _cost_of(bought) * count,
        }

    def lines(self, language: Language) -> list[str]:
        """The answer in words."""
        numbers = Numbers(language, self.planner.file.currency)
        if isinstance(self.result, NoHedge):
            return [_nothing(self.result, language)]
        return list(self._told(self.result, numbers))

    def _told(self, result: Hedge, numbers: Numbers) -> Iterator[str]:
        language = numbers.language
        proof = texts.HEDGE_BOUND.say(language, amount=numbers.money(from_micros(result.bound)))
        if result.is_proven:
            lacks = any(future.missing for future in result.futures)
            proof = (texts.HEDGE_KNOWN if lacks else texts.HEDGE_PROVEN).say(language)
        expected = numbers.money(from_micros(result.expected))
        yield texts.HEDGE.say(language, count=len(result.futures), amount=expected, proof=proof)
        yield ""
        yield texts.COMMIT_NOW.say(language)
        yield from self._commitments(result, numbers)
        yield ""
        yield texts.FUTURES.say(language)
        yield from (f"- {self._future(future, numbers)}" for future in result.futures)
        yield ""
        yield from self._worth(result, numbers)

    def _commitments(self, result: Hedge, numbers: Numbers) -> Iterator[str]:
        if not result.commit:
            yield "- " + texts.COMMIT_NOTHING.say(numbers.language)
        start = self.planner.file.start
        for bought, count in result.commit:
            yield "- " + texts.COMMIT_LINE.say(
                numbers.language,
                count=count,
                pool=clean(bought.supply.key),
                term=texts.NAMES[_term(bought)].say(numbers.language),
                start=numbers.day(start + timedelta(days=bought.start)),
                end=numbers.day(start + timedelta(days=bought.end)),
                amount=numbers.money(_cost_of(bought) * count),
            )

    def _future(self, future: Future, numbers: Numbers) -> str:
        said = texts.FUTURE_LINE.say(
            numbers.language,
            name=clean(future.name),
            weight=numbers.percent(float(future.weight)),
            amount=numbers.money(from_micros(future.cost)),
            alone=numbers.money(from_micros(future.alone)),
            runs=_in(future.runs, numbers.language),
        )
        if future.missing:
            said += texts.FUTURE_MISSING.say(numbers.language, missing=_in(future.missing, numbers.language))
        return said

    def _worth(self, result: Hedge, numbers: Numbers) -> Iterator[str]:
        language = numbers.language
        unknowing = result.cost_of_not_knowing
        share = float(unknowing / result.expected) if result.expected else 0.0
        yield texts.NOT_KNOWING.say(language, amount=numbers.money(_exact(unknowing)), percent=numbers.percent(share))
        worst = result.worst
        yield texts.WORST.say(language, name=clean(worst.name), amount=numbers.money(from_micros(worst.cost)))
        if result.by_the_hour is not None and result.commit:
            yield texts.ALL_HOURLY.say(
                language,
                amount=numbers.money(from_micros(result.by_the_hour)),
                saved=numbers.money(from_micros(result.by_the_hour - result.expected)),
            )
        budget = self.planner.file.budget
        for future in result.futures:
            if budget is not None and from_micros(future.cost) > budget:
                yield texts.OVER_BUDGET.say(language, name=clean(future.name), budget=numbers.money(budget))


def _in(phrases: tuple[str, ...], language: Language) -> str:
    """What a future runs, or lacks, in one language."""
    if language == "zh":
        return clean("；".join(map(in_chinese, phrases)))
    return clean("; ".join(phrases))


def plan_scenarios(
    workload_path: Path,
    scenarios_path: Path,
    options: PlanOptions,
    *,
    overrides: Sequence[str] = (),
    budget: str | None = None,
    profile: str | None = None,
    catalog_directory: Path | None = None,
    running: Path | None = None,
) -> Hedged:
    """What to commit now, over the futures of a file; `running` as in `plan_workload`.

    Raises:
        InputError: a file is wrong, or asks for limits that a plan over futures does not hold.
        NoPlanInTime: no plan was found within the time.
    """
    file = with_options(read_workload(workload_path, overrides), budget, profile)
    scenarios = read_scenarios(scenarios_path, file)
    catalog = load_catalog(catalog_directory)
    if running is not None:
        from optimizer.app.running import from_running

        file = from_running(file, running, catalog.rates(options.as_of, dict(file.fx)), catalog)
    with set_by(workload_path, overrides):
        planner = Planner(file, catalog, options, str(workload_path))
    _check_failing(scenarios, planner, str(scenarios_path))
    return Hedged(planner, hedge(planner, scenarios, options.seconds))


def _check_failing(scenarios: ScenarioFile, planner: Planner, source: str) -> None:
    """A provider that fails must be one of the catalog or of the user's quotes."""
    also = {candidate.supply.provider for mine in planner.case.candidates for candidate in mine}
    problems = [
        problem
        for number, scenario in enumerate(scenarios.scenarios)
        for problem in provider_problems(
            planner.catalog, scenario.failing, source, f"scenarios[{number}].failing", also=also
        )
    ]
    if problems:
        raise InputError(problems)


def _nothing(result: NoHedge, language: Language) -> str:
    if result.impossible:
        return texts.NO_FUTURE_PLAN.say(language, names=clean(", ".join(result.impossible)))
    return texts.NO_COMMON_PLAN.say(language)


def _future(future: Future) -> dict[str, Any]:
    return {
        "name": future.name,
        "weight": float(future.weight),
        "cost": from_micros(future.cost),
        "alone": from_micros(future.alone),
        "runs": list(future.runs),
        "missing_prices": list(future.missing),
    }


def _term(bought: Bought) -> str:
    return "owned" if bought.rent is None else bought.rent.term.value


def _cost_of(bought: Bought) -> Decimal:
    return from_micros(sum(payment.micros for payment in bought.payments))


def _exact(micros: Fraction) -> Decimal:
    return from_micros(round(micros))

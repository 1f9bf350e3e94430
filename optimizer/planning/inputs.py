"""What a workload file names must exist: presets, GPUs, servers, offers, currencies. All problems at once."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from optimizer.catalog import Catalog
from optimizer.catalog.asked import country_problems, provider_problems
from optimizer.domain.model import ModelShape
from optimizer.domain.money import USD, Rates, currency_meant
from optimizer.domain.offer import Offer
from optimizer.domain.workload import ModelSpec, Work, WorkloadFile
from optimizer.errors import InputError, Problem
from optimizer.planning.calendar import month_start_days
from optimizer.planning.candidates import WorkFacts
from optimizer.planning.model_checks import Slip, model_slips, work_slips
from optimizer.planning.supply import matches_any

#: How sizing says that a stated count is not the architecture's.
COUNT_MISFIT = re.compile(r"model\.parameters_b: found (?P<found>\S+), but (?P<name>\S+) has (?P<count>\S+) billion .+")


class InputChecks:
    """Collects problems of one file while it is read against the catalog."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []

    def problem(self, field: str, found: str, expected: str, near: Iterable[str] = ()) -> None:
        """Note one problem, with the nearest known names as a suggestion."""
        names = list(near)
        suggestion = f"Did you mean {' or '.join(names[:3])}?" if names else None
        self.problems.append(Problem(self.file, field, found, expected, suggestion=suggestion))

    def currency(self, currency: str, rates: Rates, field: str) -> None:
        """A currency needs a rate."""
        if currency != USD and currency not in rates.by_currency:
            meant = currency_meant(currency)
            self.problem(field, currency, "a currency with a rate (add it under fx:)", [meant] if meant else ())

    def raise_if_any(self) -> None:
        """Raise InputError when anything was noted."""
        if self.problems:
            raise InputError(self.problems)


def nearest(name: str, known: Iterable[str], count: int = 3) -> list[str]:
    """The closest known names."""
    return get_close_matches(name, list(known), n=count, cutoff=0.4)


def works_of(file: WorkloadFile, catalog: Catalog, checks: InputChecks) -> tuple[WorkFacts, ...]:
    """Each workload with its model's shape and its training run."""
    for index, work in enumerate(file.workloads):
        _check_months(file, work, checks, _prefix(file, index))
    _check_data_sets(file, checks)
    return tuple(
        _facts(index, work, catalog, checks, _prefix(file, index)) for index, work in enumerate(file.workloads)
    )


def _check_months(file: WorkloadFile, work: Work, checks: InputChecks, prefix: str) -> None:
    """Steady work that starts after its last month with tokens is none."""
    if not work.is_steady or file.horizon_months is None:
        return
    tokens = work.tokens_per_month
    last = max(m for m, n in enumerate(tokens) if n) if isinstance(tokens, tuple) else file.horizon_months - 1
    end = month_start_days(file.start, last + 1)[-1]
    if work.starts_day >= end:
        expected = f"a day before {end}, on which its last month with tokens has ended"
        checks.problem(f"{prefix}starts_day", str(work.starts_day), expected)


def _check_data_sets(file: WorkloadFile, checks: InputChecks) -> None:
    """A data set that workloads share has one size, and one part of it that is read often."""
    first: dict[str, Work] = {}
    for index, work in enumerate(file.workloads):
        if work.dataset is None:
            continue
        other = first.setdefault(work.dataset, work)
        for field in ("dataset_gb", "hot_fraction"):
            mine, theirs = getattr(work, field), getattr(other, field)
            if mine != theirs:
                expected = f"{theirs:g}, as workload {other.name} says of the data set {work.dataset}"
                checks.problem(f"{_prefix(file, index)}{field}", f"{mine:g}", expected)


def _facts(index: int, work: Work, catalog: Catalog, checks: InputChecks, prefix: str) -> WorkFacts:
    from optimizer.sizing import training_of

    _check_gpus(work, catalog, checks, prefix)
    shape = None if work.model is None else _shape(work.model, catalog, checks, prefix)
    _note(work_slips(work, shape), checks, prefix)
    return WorkFacts(index, work, shape, None if shape is None else training_of(work, shape))


def _shape(spec: ModelSpec, catalog: Catalog, checks: InputChecks, prefix: str) -> ModelShape | None:
    from optimizer.sizing import shape_from_spec

    preset = None
    if spec.preset is not None:
        try:
            preset = catalog.model(spec.preset)
        except KeyError:
            near = catalog.near_models(spec.preset)
            checks.problem(f"{prefix}model.preset", spec.preset, "a model of the catalog", near)
            return None
    slips = model_slips(spec, preset)
    _note(slips, checks, prefix)
    if slips:
        return None
    try:
        return shape_from_spec(spec, preset, checks.file)
    except ValueError as error:
        reason = str(error).removeprefix(f"{checks.file}: ").removeprefix("model: ")
        counted = COUNT_MISFIT.fullmatch(reason)
        if counted is not None:
            expected = f"{counted['count']}, the count of {counted['name']}, or one of the two left out"
            checks.problem(f"{prefix}model.parameters_b", counted["found"], expected)
        else:
            checks.problem(f"{prefix}model", "an architecture that does not agree", reason)
        return None


def _note(slips: Iterable[Slip], checks: InputChecks, prefix: str) -> None:
    for slip in slips:
        checks.problem(f"{prefix}{slip.field}", str(slip.found), slip.expected)


def check_places(file: WorkloadFile, catalog: Catalog, offers: Iterable[Offer], checks: InputChecks) -> None:
    """A country or provider that neither the catalog nor the user's quotes know is a slip of the pen, not a wish."""
    offers = tuple(offers)
    providers = {offer.provider for offer in offers}
    countries = {offer.country for offer in offers if offer.country}
    for index, work in enumerate(file.workloads):
        prefix = _prefix(file, index)
        named = country_problems(catalog, work.countries, checks.file, f"{prefix}countries", also=countries)
        checks.problems.extend(named)
        if work.providers:
            asked = provider_problems(catalog, work.providers, checks.file, f"{prefix}providers", also=providers)
            checks.problems.extend(asked)


def _prefix(file: WorkloadFile, index: int) -> str:
    return f"workloads.{index}." if len(file.workloads) > 1 else ""


def _check_gpus(work: Work, catalog: Catalog, checks: InputChecks, prefix: str) -> None:
    """Every GPU that a workload names: suggested where unknown, never replaced."""
    check_gpu_names(work.gpus.allow, f"{prefix}gpus.allow", catalog, checks)
    check_gpu_names(work.gpus.deny, f"{prefix}gpus.deny", catalog, checks)
    for field, named in (("gpu_hours.gpu", work.gpu_hours), ("measured.gpu", work.measured)):
        if named is not None and catalog.find_gpu(named.gpu) is None:
            near = catalog.near_gpus(named.gpu)
            checks.problem(f"{prefix}{field}", named.gpu, "a GPU model of the catalog", near)


def check_gpu_names(globs: Iterable[str], field: str, catalog: Catalog, checks: InputChecks) -> None:
    """A problem for each name or pattern that matches no GPU of the catalog."""
    for glob in globs:
        if not any(matches_any(model, (glob,)) for model in catalog.gpus):
            expected = "a GPU model of the catalog or a pattern that matches one"
            checks.problem(field, glob, expected, catalog.near_gpus(glob))

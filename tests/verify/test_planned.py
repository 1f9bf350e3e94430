"""Plans that the planner made for random workloads over parts of the real catalog all hold, and damage shows."""

from functools import cache
from random import Random

import pytest

from optimizer.app.facts import verify_facts
from optimizer.catalog import Catalog, load_catalog
from optimizer.domain.offer import Machine, Term
from optimizer.domain.plan import Plan
from optimizer.planning.case import PlanOptions
from optimizer.planning.pipeline import Planner
from optimizer.verify import show, verify_plan
from tests.verify.damage import altered, dotted, is_caught, leaves, replaced
from tests.verify.free_fields import is_free
from tests.verify.random_works import AS_OF, random_file, small_catalog

PLANS_IN_CI = 300
PLANS_IN_ALL = 5_000
A_BLOCK = 30


@cache
def whole_catalog() -> Catalog:
    return load_catalog()


def planned(seed: int) -> tuple[Plan, Catalog]:
    random = Random(seed)
    catalog = small_catalog(whole_catalog(), random)
    file = random_file(random, catalog.offers())
    plan, _ = Planner(file, catalog, PlanOptions(as_of=AS_OF, extras=False), "random").plan()
    # Through the file format, as a reader gets it.
    return Plan.model_validate_json(plan.model_dump_json(by_alias=True)), catalog


def failures(seed: int) -> list[str]:
    plan, catalog = planned(seed)
    checks = verify_plan(plan, verify_facts(plan, catalog))
    return [f"{seed} {c.id}: expected {show(c.expected)}, found {show(c.found)}" for c in checks if not c.ok]


@pytest.mark.parametrize("first", range(0, PLANS_IN_CI, A_BLOCK))
def test_random_plans_hold(first: int) -> None:
    assert [failure for seed in range(first, first + A_BLOCK) for failure in failures(seed)] == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(PLANS_IN_CI, PLANS_IN_ALL, 100))
def test_many_random_plans_hold(first: int) -> None:
    assert [failure for seed in range(first, first + 100) for failure in failures(seed)] == []


def test_more_memory_than_the_data_sheet_says_is_caught() -> None:
    # An offer that says a fifth more than the driver of its GPU leaves (a 24 GiB card sold as one of 28).
    for seed in range(5):
        plan, catalog = planned(seed)
        facts = verify_facts(plan, catalog)
        for used in {(a.provider, a.region, a.instance_type) for a in plan.assignments}:
            offers = tuple(
                offer.model_copy(update={"machine": _larger(offer.machine, catalog)})
                if (offer.provider, offer.region, offer.machine.instance_type) == used
                else offer
                for offer in plan.offers
            )
            failed = [one.id for one in verify_plan(plan.model_copy(update={"offers": offers}), facts) if not one.ok]
            assert any(one.startswith("sizing.usable_of_gpu[") for one in failed)


def _larger(machine: Machine, catalog: Catalog) -> Machine:
    gpu = catalog.gpus[machine.gpu_model]
    return machine.model_copy(update={"gpu_memory_usable_gib": gpu.usable_memory_gib * 1.2})


def features(plan: Plan) -> set[str]:
    """What a plan's lines exercise."""
    found = {line.term.value if line.kind == "machine" and line.term else line.kind for line in plan.purchases}
    found |= {"sunk"} if plan.sunk else set()
    found |= {"share"} if any(a.gpus_used_per_node < a.gpus_per_node for a in plan.assignments) else set()
    found |= {"shared data"} if any(line.note.startswith("shared data") for line in plan.purchases) else set()
    found |= {"window"} if any(row.window for row in plan.usage) else set()
    found |= {"tax"} if any(line.tax_factor != 1 for line in plan.purchases) else set()
    found |= {"rates"} if any(line.fx_rate != 1 for line in plan.purchases) else set()
    found |= {"discount"} if plan.cost and plan.cost.present_value is not None else set()
    return found


def test_random_plans_exercise_what_a_plan_can_have() -> None:
    found = set().union(*(features(planned(seed)[0]) for seed in range(40)))
    wanted = {Term.ON_DEMAND.value, Term.SPOT.value, Term.MONTH.value, "storage", "egress", "energy", "colocation"}
    wanted |= {"sunk", "shared data", "window", "tax", "rates", "discount"}
    assert wanted - found == set()


def pattern(path: tuple[str | int, ...]) -> str:
    """A path without its indexes: purchases.*.cost."""
    return ".".join("*" if isinstance(step, int) else step for step in path)


def is_unused_price(path: tuple[str | int, ...], plan: Plan) -> bool:
    """Whether a path lies in a price row that no machine line of the plan names: prices of terms not taken."""
    if path[0] != "offers" or path[2:3] != ("prices",):
        return False
    offer = plan.offers[int(path[1])]
    price = offer.prices[int(path[3])]
    lines = (line for line in plan.purchases if line.kind == "machine" and line.instance_type == offer.instance_type)
    return not any(
        (line.term, line.observed, line.source) == (price.term, price.observed, price.source) for line in lines
    )


def missed(seed: int, *, once_each: bool) -> list[str]:
    """Altered fields that no check catches; with `once_each` only the first place of each field is altered."""
    plan, catalog = planned(seed)
    facts, data = verify_facts(plan, catalog), plan.model_dump(mode="json", by_alias=True)
    used = [(path, value) for path, value in leaves(data) if not is_unused_price(path, plan)]
    places = {pattern(path) if once_each else dotted(path): (path, value) for path, value in reversed(used)}
    return [
        f"{seed} {dotted(path)}: {value!r} -> {other!r}"
        for path, value in places.values()
        if not is_free(dotted(path), with_facts=True)
        for other in list(altered(value, dotted(path)))[:1]
        if not is_caught(replaced(data, path, other), facts)
    ]


@pytest.mark.parametrize("seed", [6, 16, 18])
def test_altered_fields_of_planned_files_are_caught(seed: int) -> None:
    assert missed(seed, once_each=True) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_every_altered_field_of_planned_files_is_caught(seed: int) -> None:
    assert missed(seed, once_each=False) == []

"""What is left out before the program never changes the optimum: compared with the program over everything."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from random import Random

import pytest

from optimizer.app.plan import check
from optimizer.catalog import Catalog, load_catalog
from optimizer.catalog.facts import StorageProduct
from optimizer.domain.offer import Offer, Price, PriceUnit, Term
from optimizer.planning.assembly import assemble
from optimizer.planning.case import PlanOptions
from optimizer.planning.dominance import Specs
from optimizer.planning.pipeline import Planner
from optimizer.planning.plan_file import plan_of
from optimizer.planning.workload_file import parse_workload
from optimizer.program import solve
from optimizer.program.problem import Limits
from tests.planning.made_works import made_file

AS_OF = date(2026, 11, 30)
INSTANCES = 24
DATA = ("", ", dataset_gb: 9000", ", dataset: corp, dataset_gb: 9000", ", dataset: corp, dataset_gb: 9000")
MACHINES = ("a2-highgpu-1g", "a2-ultragpu-2g", "p4d.24xlarge", "g6e.xlarge", "ecs.gn7i-c16g1.4xlarge", "GT4.4XLARGE96")


class Small(Catalog):
    """The shipped catalog with a handful of machines at random prices in several regions."""

    def __init__(self, random: Random) -> None:
        whole = load_catalog()
        self.__dict__.update(whole.__dict__)
        machines = {
            offer.machine.instance_type: offer for offer in whole.offers() if offer.machine.gpu_fraction is None
        }
        names = [
            "a2-highgpu-1g",
            "a2-ultragpu-2g",
            "p4d.24xlarge",
            "g6e.xlarge",
            "ecs.gn7i-c16g1.4xlarge",
            "GT4.4XLARGE96",
        ]
        chosen = random.sample([machines[name] for name in names if name in machines], 3)
        sold = [(offer, region) for offer in chosen for region in ("r-1", "r-2")]
        twin = chosen[0].machine.model_copy(update={"instance_type": f"{chosen[0].machine.instance_type}.twin"})
        sold.append((chosen[0].model_copy(update={"machine": twin}), "r-1"))
        self._small = tuple(_priced(offer, region, random) for offer, region in sold)

    def offers(self) -> tuple[Offer, ...]:
        """Seven offers: one machine is sold under a second name."""
        return self._small


def _priced(offer: Offer, region: str, random: Random) -> Offer:
    hour = Decimal(random.randint(50, 400)) / 100 * offer.machine.gpu_count
    prices = [_price(Term.ON_DEMAND, hour, PriceUnit.HOUR)]
    if random.random() < 0.7:
        prices.append(_price(Term.MONTH, hour * random.randint(150, 600), PriceUnit.MONTH))
    if random.random() < 0.4:
        prices.append(_price(Term.WEEK, hour * random.randint(60, 150), PriceUnit.WEEK))
    if random.random() < 0.4:
        prices.append(_price(Term.RESERVED_3M, hour * random.randint(400, 1500), PriceUnit.TERM))
    return offer.model_copy(update={"region": region, "prices": tuple(prices)})


def _price(term: Term, amount: Decimal, unit: PriceUnit) -> Price:
    return Price(term=term, amount=amount, unit=unit, currency="USD", observed=AS_OF, source="made for this test")


_STORAGE = StorageProduct(
    "any",
    "*",
    "shared files",
    "shared-fs",
    Decimal("0.08"),
    False,
    1.0,
    False,
    None,
    0.0,
    "USD",
    "2026-11-30",
    "made",
    "",
)


class WithStorage(Small):
    """The same with one price of storage in every region, so that data sets cost something."""

    def storage(self, provider: str, region: str) -> tuple[StorageProduct, ...]:
        """One product, of the same price in every region."""
        return (_STORAGE,)

    def sell_spot(self, random: Random) -> None:
        """Some of the machines are sold on spot too."""
        self._small = tuple(_with_spot(offer, random) for offer in self._small)


def _with_spot(offer: Offer, random: Random) -> Offer:
    if random.random() < 0.5:
        return offer
    hour = next(price.amount for price in offer.prices if price.term is Term.ON_DEMAND)
    spot = _price(Term.SPOT, hour * random.randint(20, 80) / 100, PriceUnit.HOUR)
    return offer.model_copy(update={"prices": (*offer.prices, spot)})


def _workload(random: Random, data: Sequence[str] = ("",)) -> str:
    budget = random.choice(["", f"budget: {random.randint(300, 6000)}\n"])
    monthly = random.choice(["", "", f"monthly_budget: {random.randint(300, 3000)}\n"])
    text = f"start: 2026-12-01\nhorizon_months: 3\nprofile: off\n{budget}{monthly}workloads:\n"
    for index in range(random.randint(1, 3)):
        kind = random.choice(["tokens", "tokens", "tokens_per_month"])
        amount = random.choice(["3e7", "1e8", "4e8"]) if kind == "tokens" else random.choice(["1e8", "3e8"])
        text += (
            f"  - {{name: w{index}, model: {{preset: llama-2-7b}}, method: lora, sequence_length: 1024, "
            f"global_batch_tokens: 65536, {kind}: {amount}, hours_per_day: {random.choice([8, 10, 24])}, "
            f"max_nodes: 2, starts_day: {random.choice([0, 0, 7])}, max_moves: {random.choice([0, 1])}, egress_gb: 0, "
            f"checkpoint_gb: 0{random.choice(data)}}}\n"
        )
    return text


@pytest.mark.parametrize("seed", range(INSTANCES))
def test_the_pruned_plan_costs_what_the_whole_program_costs(seed: int) -> None:
    random = Random(seed)
    assert_pruning_changes_nothing(Small(random), _workload(random))


@pytest.mark.parametrize("seed", range(200, 200 + INSTANCES))
def test_shared_data_prunes_nothing_that_an_optimum_needs(seed: int) -> None:
    random = Random(seed)
    catalog = WithStorage(random)
    assert_pruning_changes_nothing(catalog, _workload(random, DATA))


@pytest.mark.parametrize("seed", range(400, 440))
def test_no_limit_or_kind_of_work_is_pruned_wrongly(seed: int) -> None:
    random = Random(seed)
    catalog = WithStorage(random)
    catalog.sell_spot(random)
    assert_pruning_changes_nothing(catalog, made_file(random))


def assert_pruning_changes_nothing(catalog: Catalog, text: str) -> None:
    """The plan costs what the program over every candidate and every start costs."""
    file = parse_workload(text, "random.yaml")
    options = PlanOptions(as_of=AS_OF, extras=False)
    planner = Planner(file, catalog, options)
    plan, outcome = planner.plan()
    whole = Planner(file, catalog, replace(options, every_region=True))
    everything = [
        candidate
        for candidates in whole.case.candidates
        for candidate in candidates
        if whole.case.admits(candidate, whole.policy) and not candidate.storage.missing
    ]
    assembly = assemble(whole.case, whole.policy, everything, every_start=True)
    solution = solve(assembly.problem, Limits(seconds=60.0, tie_seconds=0.0))
    assert outcome.has_plan == (solution.cost is not None)
    if solution.cost is not None:
        # Both are proven within one cent (10,000 micros).
        assert abs(outcome.cost_micros - solution.cost) <= 10_000
        check(plan, catalog)
        check(plan_of(assembly, solution, catalog), catalog)


FIXED = """start: 2026-12-01
horizon_months: 3
profile: documents
{rules}workloads:
  - {{name: job, model: {{preset: llama-2-7b}}, method: lora, sequence_length: 1024, global_batch_tokens: 65536,
     tokens: {tokens}, hours_per_day: 10, max_nodes: 2, deadline_days: {days}, egress_gb: 0, checkpoint_gb: 0}}
  - {{name: steady, model: {{preset: llama-2-7b}}, method: lora, sequence_length: 1024, global_batch_tokens: 65536,
     tokens_per_month: 1e8, hours_per_day: 10, max_nodes: 2, egress_gb: 0, checkpoint_gb: 0}}
"""


def least_cost(seed: int, *, days: int = 30, rules: str = "") -> float:
    """Micros of the best plan on some machines at random prices; infinite without one."""
    random = Random(seed)
    catalog = Small(random)
    text = FIXED.format(days=days, rules=rules, tokens=random.choice(("1e8", "4e8")))
    planner = Planner(parse_workload(text, "fixed.yaml"), catalog, PlanOptions(as_of=AS_OF, extras=False))
    outcome = planner.cheapest(planner.policy)
    return outcome.cost_micros if outcome.has_plan else float("inf")


@pytest.mark.parametrize("seed", range(100, 106))
def test_a_later_deadline_never_costs_more_and_a_harder_rule_never_less(seed: int) -> None:
    by_deadline = [least_cost(seed, days=days) for days in (4, 8, 15, 40)]
    assert by_deadline == sorted(by_deadline, reverse=True)
    ratios = ("0.5", "1.5", "3", "12")
    by_rule = [
        least_cost(seed, rules=f"rules: {{ram-total: {{ratio: {ratio}, severity: hard}}}}\n") for ratio in ratios
    ]
    assert by_rule == sorted(by_rule)


def test_machines_alike_in_all_but_their_names_are_compared() -> None:
    machine = load_catalog().offers()[0].machine
    specs = Specs()
    renamed = machine.model_copy(update={"instance_type": "another", "note": "the same hardware"})
    smaller = machine.model_copy(update={"ram_gib": 1.0})
    derived = machine.model_copy(update={"facts": {**machine.facts, "ram_gib": "derived: by hand"}})
    numbers = [specs.number(one) for one in (machine, renamed, smaller, derived)]
    assert numbers[0] == numbers[1]
    assert len(set(numbers)) == 3

"""Two Azure machines at made prices in two regions, and workload files for them."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cache

from optimizer.app.facts import verify_facts
from optimizer.catalog import Catalog, load_catalog
from optimizer.domain.offer import Offer, Price, PriceUnit, Term
from optimizer.domain.plan import Plan, Purchase
from optimizer.planning.case import PlanOptions
from optimizer.planning.pipeline import Planner
from optimizer.planning.workload_file import parse_workload
from optimizer.verify import verify_plan

AS_OF = date(2026, 11, 30)
MACHINE = "Standard_NC24ads_A100_v4"
#: USD an hour of one A100 80 GB by place and term.
PRICES = {
    "eastus2": {Term.ON_DEMAND: "4", Term.SAVINGS_PLAN_1Y: "3.2", Term.SAVINGS_PLAN_3Y: "2"},
    "westus2": {Term.ON_DEMAND: "4", Term.SAVINGS_PLAN_1Y: "3", Term.SAVINGS_PLAN_3Y: "1.9"},
}
Prices = Mapping[str, Mapping[Term, str]]


class Made(Catalog):
    """The shipped catalog's facts with one machine sold in some regions of a provider at made prices."""

    def __init__(self, prices: Prices, provider: str = "azure") -> None:
        self.__dict__.update(_whole().__dict__)
        self._made = tuple(
            _machine().model_copy(
                update={
                    "provider": provider,
                    "machine": _machine().machine.model_copy(update={"provider": provider}),
                    "region": region,
                    "prices": tuple(_price(term, amount) for term, amount in terms.items()),
                }
            )
            for region, terms in prices.items()
        )

    def offers(self) -> tuple[Offer, ...]:
        """One offer a region."""
        return self._made


@cache
def _whole() -> Catalog:
    return load_catalog()


@cache
def _machine() -> Offer:
    return next(offer for offer in _whole().offers() if offer.instance_type == MACHINE)


def _price(term: Term, amount: str) -> Price:
    unit = PriceUnit.TERM if term.value.startswith("reserved") else PriceUnit.HOUR
    return Price(term=term, amount=Decimal(amount), unit=unit, currency="USD", observed=AS_OF, source="made")


def workload(name: str, tokens: float | Sequence[float], **more: object) -> str:
    """Steady work on one machine; 10e9 tokens a month take some 15.5 hours a day of it."""
    fields = {"regions": "[eastus2]", "team": name, "max_nodes": 1, "max_moves": 0} | more
    said = ", ".join(f"{key}: {value}" for key, value in fields.items())
    amount = tokens if isinstance(tokens, float) else list(tokens)
    return (
        f"  - {{name: {name}, model: {{preset: llama-2-7b}}, method: lora, sequence_length: 2048, "
        f"global_batch_tokens: 65536, tokens_per_month: {amount}, hours_per_day: 24, egress_gb: 0, checkpoint_gb: 0, "
        f"{said}}}\n"
    )


def planned(
    *works: str, months: int = 36, prices: Prices = PRICES, provider: str = "azure", more: str = ""
) -> tuple[Plan, Catalog]:
    """The plan of a file on the made catalog, as a reader of the plan file gets it; it must verify."""
    head = f"start: 2026-12-01\nhorizon_months: {months}\nprofile: off\n{more}workloads:\n"
    catalog = Made(prices, provider)
    file = parse_workload(head + "".join(works), "made.yaml")
    plan, _ = Planner(file, catalog, PlanOptions(as_of=AS_OF, extras=False), "made.yaml").plan()
    plan = Plan.model_validate_json(plan.model_dump_json(by_alias=True))
    if plan.cost is not None:
        assert failures(plan, catalog) == []
    return plan, catalog


def failures(plan: Plan, catalog: Catalog) -> list[str]:
    """The checks that a plan fails."""
    return [one.id for one in verify_plan(plan, verify_facts(plan, catalog)) if not one.ok]


def commitments(plan: Plan) -> list[Purchase]:
    """The plan's lines of committed money."""
    return [line for line in plan.purchases if line.kind == "commitment"]

"""Plans on a few named offers of the shipped catalog."""

from collections.abc import Iterable
from datetime import date
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from optimizer.app.plan import check, plan_file
from optimizer.catalog import Catalog, load_catalog
from optimizer.domain.offer import Offer
from optimizer.domain.plan import Plan
from optimizer.planning.case import PlanOptions
from optimizer.planning.pipeline import Planner
from optimizer.planning.workload_file import parse_workload

AS_OF = date(2026, 11, 30)


@cache
def shipped() -> Catalog:
    """The shipped catalog, read once."""
    return load_catalog()


class Named(Catalog):
    """The shipped catalog with only the offers that match some patterns of their keys."""

    def __init__(self, patterns: Iterable[str]) -> None:
        whole = shipped()
        self.__dict__.update(whole.__dict__)
        self.patterns = tuple(patterns)

    def offers(self) -> tuple[Offer, ...]:
        """The named offers only."""
        whole = shipped().offers()
        return tuple(offer for offer in whole if any(fnmatchcase(offer.key, pattern) for pattern in self.patterns))


def plan(text: str, *offers: str, **options: Any) -> Plan:
    """A verified plan of a workload text on the named offers (all offers when none is named)."""
    catalog = Named(offers) if offers else shipped()
    file = parse_workload("start: 2026-12-01\n" + text, "case.yaml")
    found = plan_file(file, catalog, PlanOptions(as_of=AS_OF, **{"extras": False, **options}))
    if found.cost is not None:
        check(found, catalog)
    return found


def planner(text: str, *offers: str, **options: Any) -> Planner:
    """A planner of a workload text on the named offers."""
    catalog = Named(offers) if offers else shipped()
    file = parse_workload("start: 2026-12-01\n" + text, "case.yaml")
    return Planner(file, catalog, PlanOptions(as_of=AS_OF, **{"extras": False, **options}))


def machine_lines(found: Plan) -> list[tuple[str, str, int]]:
    """(term, instance type, count) of the machine lines."""
    return [
        (line.term.value if line.term else "", line.instance_type or "", line.count)
        for line in found.purchases
        if line.kind == "machine"
    ]


RUNPOD = "runpod/global/8x_H100-SXM_community"
#: Steady work that rents from the first day; a server may be bought that stands from day 45 on, worth nothing after.
STEADY = """
currency: USD
horizon_months: 4
model: {preset: llama-2-13b}
method: full
sequence_length: 4096
global_batch_tokens: 1048576
tokens_per_month: 25.0e9
max_moves: 1
max_nodes: 2
profile: off
owned:
  electricity_per_kwh: 0.1
  may_buy:
    - server: hgx-h100-8
      price: PRICE
      lead_time_days: 45
      max: 1
      residual_by_month: {0: 0.0}
      load_kw: 10
      idle_kw: 3
"""

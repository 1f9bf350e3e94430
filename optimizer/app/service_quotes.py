"""Which prices of storage and traffic a plan lacks or knows without a date, as lines of `quotes.csv` to fill in."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from optimizer.domain.offer import PriceKind
from optimizer.domain.plan import Plan, Purchase
from optimizer.domain.service import UNITS, ServiceKind
from optimizer.domain.text import Language, Text

#: A line of `plan.incomplete` such as "sft-13b: storage on autodl/cn/A800 x1".
_MISSING = re.compile(r"(?P<work>.*): (?P<what>cold storage|storage|egress) on (?P<seller>[^/]+)/(?P<region>[^/]+)/.+")
_KIND_OF: dict[str, ServiceKind] = {"storage": "storage", "cold storage": "cold-storage", "egress": "egress"}
#: How the letter asks for each kind.
KINDS: dict[ServiceKind, Text] = {
    "storage": Text("storage (per GB and month, rate and IOPS)", "存储（每 GB 每月价格、带宽与 IOPS）"),
    "cold-storage": Text("storage for data at rest (per GB and month)", "冷存储（每 GB 每月价格）"),
    "egress": Text("outgoing traffic (per GB)", "出网流量（每 GB 价格）"),
}
_NOTE = Text("no list price known; for {works}", "无目录价；用于 {works}")
_UNDATED = Text(
    "listed at {amount} {currency} without a date; for {works}", "目录价 {amount} {currency}，无日期；用于 {works}"
)
_COLD = "cold"


@dataclass(frozen=True, slots=True)
class ServiceNeeded:
    """One price of storage or traffic to ask a seller for.

    `listed` is the undated list price that the plan used, in `currency`; None where none is known, and `currency` is
    that of the machines there.
    """

    kind: ServiceKind
    provider: str
    region: str
    currency: str
    workloads: tuple[str, ...]
    listed: Decimal | None = None

    def row(self, language: Language) -> dict[str, str]:
        """The line of `quotes.csv` without its price."""
        return {
            "provider": self.provider,
            "region": self.region,
            "instance_type": self.kind,
            "price_unit": UNITS[self.kind][0],
            "currency": self.currency,
            "note": self._note(language),
        }

    def _note(self, language: Language) -> str:
        works = ", ".join(self.workloads)
        if self.listed is None:
            return _NOTE.say(language, works=works)
        return _UNDATED.say(language, amount=f"{self.listed.normalize():f}", currency=self.currency, works=works)


def services_needed(plan: Plan) -> list[ServiceNeeded]:
    """The prices that the plan's storage and traffic lack or have no date, by seller, place and kind."""
    works: dict[tuple[str, str, ServiceKind], list[str]] = {}
    for place, work in _missing(plan):
        works.setdefault(place, []).append(work)
    undated = _undated(plan)
    for place, line in undated.items():
        works.setdefault(place, []).extend(line.workloads)
    return [_needed(plan, place, mine, undated.get(place)) for place, mine in sorted(works.items())]


def _needed(
    plan: Plan, place: tuple[str, str, ServiceKind], works: list[str], undated: Purchase | None
) -> ServiceNeeded:
    provider, region, kind = place
    currency = _currency(plan, provider, region) if undated is None else undated.price_currency
    listed = None if undated is None else undated.unit_price
    return ServiceNeeded(kind, provider, region, currency, tuple(dict.fromkeys(works)), listed)


def _undated(plan: Plan) -> dict[tuple[str, str, ServiceKind], Purchase]:
    """The plan's lines of storage and traffic whose list price carries no date, the first of each place and kind."""
    found: dict[tuple[str, str, ServiceKind], Purchase] = {}
    for line in plan.purchases:
        is_service = line.kind in ("storage", "egress")
        if is_service and line.observed is None and line.price_kind != PriceKind.QUOTE:
            found.setdefault((line.provider, line.region, _kind_of(line)), line)
    return found


def _kind_of(line: Purchase) -> ServiceKind:
    if line.kind == "egress":
        return "egress"
    return "cold-storage" if line.note.partition(":")[0] == _COLD else "storage"


def _missing(plan: Plan) -> Iterator[tuple[tuple[str, str, ServiceKind], str]]:
    for line in plan.incomplete:
        found = _MISSING.fullmatch(line)
        if found is not None:
            yield (found["seller"], found["region"], _KIND_OF[found["what"]]), found["work"]


def _currency(plan: Plan, provider: str, region: str) -> str:
    """The currency in which the seller prices its machines there."""
    lines = (line for line in plan.purchases if line.kind == "machine")
    prices = (line.price_currency for line in lines if (line.provider, line.region) == (provider, region))
    return next(prices, plan.currency)

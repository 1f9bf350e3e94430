"""Which prices of storage and traffic a plan lacks, as lines of `quotes.csv` to fill in."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from optimizer.domain.plan import Plan
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


@dataclass(frozen=True, slots=True)
class ServiceNeeded:
    """One price of storage or traffic to ask a seller for; `currency` is that of the machines there."""

    kind: ServiceKind
    provider: str
    region: str
    currency: str
    workloads: tuple[str, ...]

    def row(self, language: Language) -> dict[str, str]:
        """The line of `quotes.csv` without its price."""
        return {
            "provider": self.provider,
            "region": self.region,
            "instance_type": self.kind,
            "price_unit": UNITS[self.kind][0],
            "currency": self.currency,
            "note": _NOTE.say(language, works=", ".join(self.workloads)),
        }


def services_needed(plan: Plan) -> list[ServiceNeeded]:
    """The prices that the plan's storage and traffic lack, by seller, place and kind; empty when none is open."""
    works: dict[tuple[str, str, ServiceKind], list[str]] = {}
    for place, work in _missing(plan):
        works.setdefault(place, []).append(work)
    return [
        ServiceNeeded(kind, provider, region, _currency(plan, provider, region), tuple(dict.fromkeys(mine)))
        for (provider, region, kind), mine in sorted(works.items())
    ]


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

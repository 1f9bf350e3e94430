"""A price that the user was quoted for what is paid beside machines: storage and traffic to the internet."""

from datetime import date
from decimal import Decimal
from fnmatch import fnmatchcase
from typing import Annotated, Literal

from pydantic import Field

from optimizer.domain.offer import Record

ServiceKind = Literal["storage", "cold-storage", "egress"]
#: A GB is 10**9 bytes, a GiB 2**30; storage is paid by the month of 365/12 days.
ServiceUnit = Literal["gb", "gib", "gb_month", "gib_month"]
UNITS: dict[ServiceKind, tuple[ServiceUnit, ...]] = {
    "storage": ("gb_month", "gib_month"),
    "cold-storage": ("gb_month", "gib_month"),
    "egress": ("gb", "gib"),
}
#: What a plan's line calls the product of a quote, which names none.
QUOTED_PRODUCTS: dict[ServiceKind, str] = {
    "storage": "quoted storage",
    "cold-storage": "quoted cold storage",
    "egress": "internet egress",
}
_WILD = "*?["


class ServiceQuote(Record):
    """One price of storage or egress at one provider, in the regions that a name or pattern means.

    `amount` buys one `unit`; 0 is stated free. Rates and IOPS are not quoted and stay unknown.
    """

    kind: ServiceKind
    provider: str
    region: str
    amount: Annotated[Decimal, Field(ge=0, allow_inf_nan=False)]
    unit: ServiceUnit
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
    tax_included: bool | None = None
    observed: date
    valid_from: date | None = None
    valid_to: date | None = None
    source: Annotated[str, Field(min_length=1)]
    note: str = ""

    @property
    def per_gib(self) -> bool:
        """Whether the price is for 2**30 bytes."""
        return self.unit.startswith("gib")

    def means(self, kind: str, provider: str, region: str) -> bool:
        """Whether this is a price of the kind at the place."""
        return (self.kind, self.provider) == (kind, provider) and fnmatchcase(region, self.region)

    @property
    def exactness(self) -> tuple[bool, int]:
        """A region's own name goes before a pattern, a pattern with more letters before one with fewer."""
        return not any(mark in self.region for mark in _WILD), sum(letter not in _WILD for letter in self.region)

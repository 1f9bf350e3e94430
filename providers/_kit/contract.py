"""The contract between an adapter and those who run it.

An adapter is one file `providers/<name>.py` with a `PROVIDER`. It only translates: everything from outside
(network, clock, credentials, GPU names) comes in through `FetchContext`, offers and rejections go out.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Protocol

from optimizer.domain.gpu import Gpu
from optimizer.domain.offer import Offer, Rejected, Term
from optimizer.domain.units import SECONDS_PER_HOUR

if TYPE_CHECKING:
    from providers._kit.http import Http
    from providers._kit.secrets import Secrets

Outcome = Offer | Rejected


class Unreadable(Exception):
    """One row cannot become an offer; the kit turns it into a `Rejected` with this reason."""

    def __init__(self, reason: str, *, quarantined: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.quarantined = quarantined


class FindGpu(Protocol):
    """Looks a provider's GPU name up in the alias table; `None` when no entry is certain."""

    def __call__(self, label: str, memory_gib: float | None, provider: str) -> Gpu | None:
        """The GPU that `provider` calls `label`; `memory_gib` (per GPU, as told) decides between variants."""


class Naming(Protocol):
    """What naming a machine's GPUs needs: the alias table, and the day on which the machine is seen."""

    @property
    def find_gpu(self) -> FindGpu:
        """Looks a GPU name up."""

    @property
    def today(self) -> date | None:
        """The day of the observation, `None` when a file does not say."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long and how much one provider may take."""

    connect_seconds: float = 5.0
    read_seconds: float = 60.0
    total_seconds: float = 900.0
    attempts: int = 4
    pages: int = 500
    answer_bytes: int = 512 * 2**20


@dataclass(frozen=True)
class FetchContext:
    """Everything an adapter may use.

    `clients` replaces SDK clients by provider name (tests); `regions` limits the regions asked, empty is all
    that the adapter knows. `home` is where credential files of each ecosystem's convention are looked for.
    """

    http: "Http"
    secrets: "Secrets"
    find_gpu: FindGpu
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    sleep: Callable[[float], None] = time.sleep
    logger: logging.Logger = field(default_factory=lambda: logging.getLogger("providers"))
    limits: Limits = field(default_factory=Limits)
    regions: tuple[str, ...] = ()
    clients: Mapping[str, Callable[..., Any]] = field(default_factory=dict)

    @property
    def today(self) -> date:
        """The UTC day of this refresh: the `observed` date of every live price."""
        return self.clock().astimezone(UTC).date()

    def wants(self, region: str) -> bool:
        """Whether the user asked for this region (or for no region in particular)."""
        return not self.regions or region in self.regions


@dataclass(frozen=True, slots=True)
class Billing:
    """How machines by the hour (on demand, spot) are billed, as the provider's documentation states it."""

    unit_seconds: int
    source: str
    minimum_seconds: int = 0

    def fields(self) -> dict[str, float]:
        """The fields of a price; as many digits as snapshots keep, so that a price reads as it was written."""
        hours = {"billing_unit_hours": self.unit_seconds, "minimum_hours": self.minimum_seconds}
        return {name: float(f"{seconds / SECONDS_PER_HOUR:.10g}") for name, seconds in hours.items()}


@dataclass(frozen=True, slots=True)
class Provider:
    """One adapter, as data. `terms` are those that its API prices; each has a test that proves it.

    Attributes:
        billing: how hours are billed; `None` where nothing is stated, which counts as whole hours.
        tells_interruptions: whether spot prices come with how often they are interrupted.
        credentials: where keys are looked for, in words for the user.
        extra: the optional dependency group of its SDK, `None` when none is needed.
        lacks: what its API does not tell and users must know.
    """

    name: str
    title: str
    fetch: Callable[[FetchContext], Iterator[Outcome]]
    terms: frozenset[Term]
    currencies: frozenset[str]
    needs_key: bool
    documentation: str
    credentials: str = ""
    extra: str | None = None
    billing: Billing | None = None
    tells_stock: bool = False
    tells_interruptions: bool = False
    lacks: str = ""

"""Providers made for the tests of refreshing: any behaviour, no network."""

from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

from optimizer.app.fetching import Surroundings
from optimizer.domain.gpu import Gpu
from optimizer.domain.offer import Machine, Offer, Price, PriceUnit, Rejected, Term
from providers._kit.contract import FetchContext, Limits, Outcome, Provider

DAY = date(2026, 11, 30)


def machine(provider: str, name: str, model: str = "H100-SXM5-80GB", **fields: object) -> Machine:
    """A machine of eight GPUs."""
    values = {"gpu_count": 8, "gpu_memory_gib": 80, "gpu_memory_usable_gib": 79.6, "observed": DAY, "source": "test"}
    return Machine.model_validate(values | {"provider": provider, "instance_type": name, "gpu_model": model} | fields)


def offer(
    provider: str, name: str, amount: str, region: str = "r1", model: str = "H100-SXM5-80GB", currency: str = "USD"
) -> Offer:
    """An offer with one hourly price."""
    price = Price(
        term=Term.ON_DEMAND,
        amount=Decimal(amount),
        unit=PriceUnit.HOUR,
        currency=currency,
        observed=DAY,
        source="test",
    )
    return Offer(provider=provider, region=region, machine=machine(provider, name, model), prices=(price,))


def many(provider: str, count: int, amount: str, model: str = "H100-SXM5-80GB") -> list[Offer]:
    """`count` offers at one price."""
    return [offer(provider, f"type-{number:04d}", amount, model=model) for number in range(count)]


def provider(name: str, fetch: Callable[[FetchContext], Iterator[Outcome]]) -> Provider:
    """A provider with a behaviour."""
    return Provider(
        name=name,
        title=name,
        fetch=fetch,
        terms=frozenset({Term.ON_DEMAND}),
        currencies=frozenset({"USD"}),
        needs_key=False,
        documentation="https://example.com",
        lacks="everything",
    )


def giving(*outcomes: Outcome) -> Callable[[FetchContext], Iterator[Outcome]]:
    """A behaviour: yields these."""
    return lambda context: iter(outcomes)


def rejected(name: str, reason: str) -> Rejected:
    """A rejected row."""
    return Rejected(provider=name, row="row", reason=reason)


def no_gpu(label: str, memory_gib: float | None, provider_name: str) -> Gpu | None:
    """A lookup that knows nothing."""
    return None


def surroundings(home: Path, seconds: float = 5.0, environment: dict[str, str] | None = None) -> Surroundings:
    """A quiet place to refresh in."""
    limits = Limits(total_seconds=seconds)
    return Surroundings(find_gpu=no_gpu, environment=environment or {}, home=home, limits=limits)

"""Running adapters side by side: each in its own thread with its own session, and with an end to its time."""

import logging
import os
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from optimizer.domain.offer import Offer, Rejected
from optimizer.errors import MissingCredentials, MissingLibrary, OptimizeError
from providers._kit.contract import FetchContext, FindGpu, Limits
from providers._kit.discovery import load_provider
from providers._kit.secrets import Secrets

#: A provider that honours its own limit ends within it; one stuck elsewhere is given up this much later.
_GRACE_SECONDS = 5.0
_POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Fetched:
    """What one provider gave: `status` is fetched, skipped (no key, no SDK) or failed, with the reason."""

    provider: str
    status: str
    offers: tuple[Offer, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    reason: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Surroundings:
    """What a refresh takes from outside; tests replace it."""

    find_gpu: FindGpu
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    home: Path = field(default_factory=Path.home)
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    limits: Limits = field(default_factory=Limits)
    clients: Mapping[str, Callable[..., Any]] = field(default_factory=dict)


def fetch_all(
    names: Sequence[str],
    surroundings: Surroundings,
    regions: Sequence[str] = (),
    report: Callable[[Fetched], None] = lambda result: None,
) -> list[Fetched]:
    """Fetch from every provider at once, in the order of `names`; `report` is called as each one ends.

    A provider that fails, or that is not done in time, neither stops nor delays the others.
    """
    done: queue.SimpleQueue[Fetched] = queue.SimpleQueue()
    started = time.monotonic()
    for name in names:
        arguments = (name, surroundings, tuple(regions), done)
        threading.Thread(target=_fetch_into, args=arguments, name=f"fetch-{name}", daemon=True).start()
    limit = surroundings.limits.total_seconds + _GRACE_SECONDS
    results: dict[str, Fetched] = {}
    while len(results) < len(names) and time.monotonic() - started < limit:
        try:
            result = done.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            continue
        results[result.provider] = result
        report(result)
    for name in names:
        if name not in results:
            results[name] = Fetched(name, "failed", reason=f"{name}: no end within {limit:.0f} s", seconds=limit)
            report(results[name])
    return [results[name] for name in names]


def _fetch_into(
    name: str, surroundings: Surroundings, regions: tuple[str, ...], done: "queue.SimpleQueue[Fetched]"
) -> None:
    begun = time.monotonic()
    secrets = Secrets(surroundings.environment, surroundings.home)
    try:
        result = _fetch(name, surroundings, regions, secrets)
    except (MissingCredentials, MissingLibrary) as error:
        result = Fetched(name, "skipped", reason=secrets.redact(str(error)))
    except OptimizeError as error:
        result = Fetched(name, "failed", reason=secrets.redact(f"{error}"))
    except Exception as error:  # noqa: BLE001 - a defect in one adapter must not take the others with it
        what = f"{name}: {type(error).__name__}: {error} (a defect of the adapter; please report it)"
        result = Fetched(name, "failed", reason=secrets.redact(what))
    done.put(replace(result, seconds=time.monotonic() - begun))


def _fetch(name: str, surroundings: Surroundings, regions: tuple[str, ...], secrets: Secrets) -> Fetched:
    import requests

    from providers._kit.http import Http

    logger = logging.getLogger(f"providers.{name}")
    logger.addFilter(secrets.log_filter())
    with requests.Session() as session:
        context = FetchContext(
            http=Http(session, surroundings.limits),
            secrets=secrets,
            find_gpu=surroundings.find_gpu,
            clock=surroundings.clock,
            logger=logger,
            limits=surroundings.limits,
            regions=regions,
            clients=surroundings.clients,
        )
        offers: dict[str, Offer] = {}
        rejected: list[Rejected] = []
        for outcome in load_provider(name).fetch(context):
            if isinstance(outcome, Rejected):
                rejected.append(outcome)
            elif outcome.key in offers and offers[outcome.key] != outcome:
                rejected.append(_doubled(outcome))
            else:
                offers[outcome.key] = outcome
    return Fetched(name, "fetched", tuple(offers[key] for key in sorted(offers)), tuple(rejected))


def _doubled(offer: Offer) -> Rejected:
    row = f"{offer.instance_type} {offer.region}"
    return Rejected(provider=offer.provider, row=row, reason="the same machine comes twice with different figures")

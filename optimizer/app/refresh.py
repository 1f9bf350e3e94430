"""The use case `catalog refresh`: fetch, compare with what was, publish what holds."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from optimizer.app.fetching import Fetched, Surroundings, fetch_all
from optimizer.app.gpu_names import gpu_finder
from optimizer.app.known_facts import KnownFacts
from optimizer.catalog import Catalog, load_catalog
from optimizer.catalog.catalog import user_catalog_directory
from optimizer.catalog.changes import Changes, compare_offers
from optimizer.catalog.generations import (
    current_directory,
    disk_errors,
    history_file,
    keep_unchanged,
    next_generation,
    publish,
    sole_writer,
)
from optimizer.catalog.index import write_index
from optimizer.catalog.layer import layer_offers
from optimizer.catalog.snapshot import write_snapshot
from optimizer.domain.offer import Offer
from providers._kit.discovery import load_provider, provider_names

REPORT_NAME = "refresh.json"


@dataclass(frozen=True, slots=True)
class Refreshed:
    """How it went for one provider: status as in `Fetched`, or held (too much would be lost) and published.

    `reasons` counts the rejected rows by reason, the commonest first.
    """

    provider: str
    status: str
    offers: int = 0
    rejected: int = 0
    seconds: float = 0.0
    reason: str = ""
    changes: Changes | None = None
    reasons: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RefreshResult:
    """A whole refresh; `generation` is None when nothing was published."""

    generation: int | None
    providers: tuple[Refreshed, ...]

    @property
    def all_failed(self) -> bool:
        """Whether no provider answered at all."""
        return not any(result.status in ("published", "held") for result in self.providers)

    @property
    def some_held(self) -> bool:
        """Whether a provider's answer was held back because it would lose too much."""
        return any(result.status == "held" for result in self.providers)


def refresh_catalog(
    names: Sequence[str] = (),
    *,
    regions: Sequence[str] = (),
    accept: bool = False,
    timeout_seconds: float | None = None,
    root: Path | None = None,
    surroundings: Surroundings | None = None,
    report: Callable[[Fetched], None] = lambda result: None,
) -> RefreshResult:
    """Refresh the snapshots of some providers (default: all).

    Args:
        names: providers by name.
        regions: fetch only these; a provider's other regions stay as they were.
        accept: publish even what would lose a fifth of a provider's prices or a whole GPU model.
        timeout_seconds: how long one provider may take; default as in `Limits`.
        root: the user's catalog folder; default `user_catalog_directory()`.
        surroundings: environment, clock and clients.
        report: called as each provider ends.

    Raises:
        InputError: unknown provider, another refresh at work, or the disk cannot be written.
    """
    for name in names:
        load_provider(name)
    names = tuple(names) or provider_names()
    root = user_catalog_directory() if root is None else root
    with sole_writer(root):
        base = load_catalog(user_directory=current_directory(root) or root)
        surroundings = surroundings or Surroundings(find_gpu=gpu_finder(base))
        if timeout_seconds is not None:
            surroundings = replace(surroundings, limits=replace(surroundings.limits, total_seconds=timeout_seconds))
        fetched = fetch_all(names, surroundings, regions, report)
        judged = [_judge(result, base, _previous(root, result.provider), regions, accept) for result in fetched]
        kept = [(outcome, offers) for outcome, offers in judged if outcome.status == "published"]
        if not kept:
            return RefreshResult(None, tuple(outcome for outcome, _ in judged))
        number = _publish(root, kept, [result for result in fetched if result.status == "fetched"])
    return RefreshResult(number, tuple(outcome for outcome, _ in judged))


def _previous(root: Path, provider: str) -> list[Offer]:
    """The provider's offers of the current generation alone, without the shipped ones."""
    directory = current_directory(root)
    return [] if directory is None else list(layer_offers(directory, provider))


def _judge(
    result: Fetched, base: Catalog, previous: list[Offer], regions: Sequence[str], accept: bool
) -> tuple[Refreshed, list[Offer]]:
    reasons = Counter(row.reason for row in result.rejected)
    figures: dict[str, Any] = {
        "rejected": len(result.rejected),
        "seconds": round(result.seconds, 1),
        "reasons": dict(reasons.most_common()),
    }
    if result.status != "fetched":
        return Refreshed(result.provider, result.status, reason=result.reason, **figures), []
    known = KnownFacts(base, result.provider)
    offers = [known.complete(offer) for offer in result.offers]
    if regions:
        offers += [offer for offer in previous if offer.region not in regions]
    changes = compare_offers(previous, offers)
    status, reason = "published", ""
    if changes.is_alarming and not accept:
        status, reason = "held", _alarm(changes)
    return Refreshed(result.provider, status, len(offers), reason=reason, changes=changes, **figures), offers


def _alarm(changes: Changes) -> str:
    lost = f"{len(changes.gone)} of {changes.rows_before} prices would be lost"
    models = f", and every {', '.join(changes.models_lost)}" if changes.models_lost else ""
    return f"{lost}{models}; give --accept to take it, the previous snapshot stays"


def _publish(root: Path, kept: list[tuple[Refreshed, list[Offer]]], fetched: list[Fetched]) -> int:
    """Write the next generation: new snapshots, the others unchanged, the index last, then the pointer."""
    from optimizer.catalog.history import write_history

    with next_generation(root) as (number, work), disk_errors(root):
        keep_unchanged(root, work, {outcome.provider for outcome, _ in kept})
        (work / "offers").mkdir(exist_ok=True)
        for outcome, offers in kept:
            _write_provider(work, outcome.provider, offers)
        (work / REPORT_NAME).write_text(_report(fetched), encoding="utf-8")
        write_index(work)
        write_history(history_file(root, number), [offer for _, offers in kept for offer in offers])
        publish(root, number, work)
    return number


def _write_provider(work: Path, provider: str, offers: Iterable[Offer]) -> None:
    """One provider's files, written and indexed apart, so that indexing does not read all the others again."""
    apart = work / ".apart"
    write_snapshot(apart, provider, offers)
    (apart / "offers" / provider).rename(work / "offers" / provider)
    for path in sorted(apart.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    apart.rmdir()


def _report(fetched: Iterable[Fetched]) -> str:
    """What was rejected and why, for later review: part of the generation."""
    rows = {
        result.provider: [
            {"row": row.row, "reason": row.reason, "quarantined": row.quarantined} for row in result.rejected
        ]
        for result in fetched
    }
    return json.dumps({"rejected": rows}, ensure_ascii=False, indent=1, sort_keys=True) + "\n"

"""The use case `catalog import`: a file of another tool becomes part of the user's catalog."""

from collections import Counter
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from optimizer.app.gpu_names import gpu_finder
from optimizer.app.known_facts import KnownFacts
from optimizer.catalog import load_catalog
from optimizer.catalog.catalog import user_catalog_directory
from optimizer.catalog.generations import (
    current_directory,
    disk_errors,
    keep_unchanged,
    next_generation,
    publish,
    sole_writer,
)
from optimizer.catalog.index import write_index
from optimizer.catalog.rows import SnapshotRows
from optimizer.domain.offer import Offer, Rejected
from optimizer.errors import InputError, Problem
from providers._kit.importing import (
    ImportContext,
    Importer,
    importer_names,
    load_importer,
    provider_of_file,
)

#: How many rejected rows are kept with their reasons; all are counted.
_EXAMPLES = 50


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of a file. `reasons` counts rejections by reason; `examples` are the first rejected rows."""

    provider: str
    generation: int | None
    prices: int
    older: int
    rejected: int
    quarantined: int
    reasons: dict[str, int]
    examples: tuple[Rejected, ...]


def import_file(
    path: Path,
    format_name: str,
    *,
    provider: str | None = None,
    observed: date | None = None,
    source: str | None = None,
    root: Path | None = None,
) -> Imported:
    """Read a file and publish its prices over the user's earlier ones of that provider.

    Args:
        path: the file.
        format_name: one of `importer_names`.
        provider: whose prices they are, where the file's name does not say.
        observed: the day of the prices; without it they are undated and stay flagged.
        source: what to name as the source; default the file's name and format.
        root: the user's catalog folder.

    Raises:
        InputError: unknown format, unreadable file, no provider, or not one offer in it.
    """
    importer = _importer(format_name)
    name = provider or importer.provider_of(path)
    if not name:
        raise InputError(Problem("--provider", "", "none", "whose prices the file holds"))
    root = user_catalog_directory() if root is None else root
    base = load_catalog(user_directory=current_directory(root) or root)
    named = source or f"{importer.title}: {path.name}"
    context = ImportContext(provider_of_file(name, importer), gpu_finder(base), observed, named)
    with sole_writer(root):
        rows, gathered = _gather(context, importer, path, root, KnownFacts(base, name))
        if not gathered.offers:
            first = gathered.examples[0].reason if gathered.examples else "no rows with GPUs"
            raise InputError(Problem(str(path), "", "not one offer", f"{importer.title}; first problem: {first}"))
        number = _publish(root, name, rows)
    return Imported(
        provider=name,
        generation=number,
        prices=gathered.prices,
        older=rows.older,
        rejected=gathered.rejected,
        quarantined=gathered.quarantined,
        reasons=dict(gathered.reasons.most_common()),
        examples=tuple(gathered.examples),
    )


def _importer(format_name: str) -> Importer:
    if format_name not in importer_names():
        raise InputError(Problem("--format", "", repr(format_name), ", ".join(importer_names())))
    return load_importer(format_name)


class _Gathered:
    """Counts over one file."""

    def __init__(self) -> None:
        self.offers = self.prices = self.rejected = self.quarantined = 0
        self.reasons: Counter[str] = Counter()
        self.examples: list[Rejected] = []

    def reject(self, row: Rejected) -> None:
        self.rejected += 1
        self.quarantined += row.quarantined
        self.reasons[row.reason] += 1
        if len(self.examples) < _EXAMPLES:
            self.examples.append(row)


def _gather(
    context: ImportContext, importer: Importer, path: Path, root: Path, known: KnownFacts
) -> tuple[SnapshotRows, _Gathered]:
    rows, gathered = SnapshotRows(), _Gathered()
    earlier = current_directory(root)
    if earlier is not None:
        rows.add_snapshot(earlier, context.provider.name)
    for outcome in importer.read(context, path):
        if isinstance(outcome, Offer):
            gathered.offers += 1
            gathered.prices += len(outcome.prices)
            rows.add(known.complete(outcome))
        else:
            gathered.reject(outcome)
    return rows, gathered


def _publish(root: Path, provider: str, rows: SnapshotRows) -> int:
    with next_generation(root) as (number, work), disk_errors(root):
        keep_unchanged(root, work, {provider})
        rows.write(work / "offers" / provider)
        write_index(work)
        publish(root, number, work)
    return number

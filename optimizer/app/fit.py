"""The use case `fit`: on which GPUs, and how many, a workload fits; how fast, how sure, what binds. No prices."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from optimizer.catalog import Catalog, load_catalog
from optimizer.domain.fit import Fit, Hardware, Misfit
from optimizer.domain.model import Training
from optimizer.domain.offer import IntraLink, Machine
from optimizer.domain.text import Language
from optimizer.domain.units import SECONDS_PER_HOUR
from optimizer.domain.workload import Measured, Work
from optimizer.errors import InputError, Problem
from optimizer.planning.candidates import can_be_joined
from optimizer.planning.inputs import InputChecks, check_places, works_of
from optimizer.planning.workload_file import lines_of, read_workload, set_by
from optimizer.sizing import Calibration, best_fit, calibrate, hardware_of

#: The better link stands for its GPU and count: the table answers "can it", not "on which offer".
LINK_ORDER = (IntraLink.PCIE, IntraLink.NVLINK_PAIRS, IntraLink.HCCS, IntraLink.XGMI, IntraLink.NVLINK)


@dataclass(frozen=True, slots=True)
class WorkFits:
    """One workload's answers, fastest first for each GPU model; `calibration` when the file holds a measured run."""

    work: Work
    training: Training
    fits: tuple[Fit, ...]
    misfits: tuple[Misfit, ...]
    calibration: Calibration | None

    def hours(self, fit: Fit) -> float | None:
        """Hours of the whole job; `None` for steady work, which has no end."""
        tokens = self.work.total_tokens
        return None if tokens is None else tokens / fit.tokens_per_second / SECONDS_PER_HOUR

    def to_json(self, language: Language) -> dict[str, Any]:
        """The keys of `fit --json`."""
        measured = self.calibration
        return {
            "workload": self.work.name,
            "fits": [self._fit_json(fit) for fit in self.fits],
            "misfits": [_misfit_json(misfit, language) for misfit in self.misfits],
            "calibration": None
            if measured is None
            else {"gpu_model": measured.gpu_model, "factor": measured.factor, "moved_percent": measured.moved_percent},
        }

    def _fit_json(self, fit: Fit) -> dict[str, Any]:
        return {
            "gpu_model": fit.gpu_model,
            "gpus": fit.gpus_per_node * fit.nodes,
            "nodes": fit.nodes,
            "layout": fit.layout.model_dump(mode="json"),
            "memory_gib": fit.memory_gib,
            "usable_gib": fit.usable_gib,
            "host_memory_gib": fit.host_memory_gib,
            "tokens_per_second": fit.tokens_per_second,
            "interval": list(fit.interval),
            "mfu": fit.mfu,
            "run_hours": self.hours(fit),
            "binds": fit.binds,
            "step_seconds": fit.step_seconds,
            "checkpoint_gb": fit.checkpoint_gb,
            "assumptions": list(fit.assumptions),
        }


def _misfit_json(misfit: Misfit, language: Language) -> dict[str, Any]:
    return {
        "gpu_model": misfit.gpu_model,
        "gpus": misfit.gpus_per_node * misfit.nodes,
        "nodes": misfit.nodes,
        "breaks": misfit.breaks,
        "needed_gib": misfit.needed_gib,
        "usable_gib": misfit.usable_gib,
        "smallest_change": misfit.smallest_change_zh if language == "zh" else misfit.smallest_change_en,
    }


def fit_workload(
    path: Path,
    *,
    gpus: Sequence[str] = (),
    node_counts: Sequence[int] = (1,),
    confidence: float | None = None,
    overrides: Sequence[str] = (),
    catalog_directory: Path | None = None,
) -> tuple[WorkFits, ...]:
    """Judge every workload of a file on every GPU and count that the catalog knows.

    `gpus` are names or patterns that the models must match; `node_counts` are tried where nodes can be joined.

    Raises:
        InputError: the file or a GPU name is wrong, or no workload has a model to size.
    """
    file, catalog = read_workload(path, overrides), load_catalog(catalog_directory)
    checks = InputChecks(str(path))
    works = works_of(file, catalog, checks)
    if file.quotes is None:  # places that only quotes know are the planner's to judge: sizing reads no prices
        check_places(file, catalog, (), checks)
    wanted = [_pattern(name, catalog, checks) for name in gpus]
    if not checks.problems and not any(facts.training for facts in works):
        checks.problem("workloads", "gpu_hours alone", "a workload with a model; there is nothing to size")
    with set_by(path, overrides), lines_of(str(path)):
        checks.raise_if_any()
    return tuple(
        _judged(facts.work, facts.training, catalog, wanted, node_counts, confidence)
        for facts in works
        if facts.training is not None
    )


def _pattern(name: str, catalog: Catalog, checks: InputChecks) -> str:
    if any(fnmatchcase(model, name) for model in catalog.gpus):
        return name
    model = catalog.find_gpu(name)
    if model is None:
        checks.problem("--gpu", name, "a GPU of the catalog or a pattern that matches one", catalog.near_gpus(name))
    return model or name


def _judged(
    work: Work,
    training: Training,
    catalog: Catalog,
    wanted: Sequence[str],
    node_counts: Sequence[int],
    confidence: float | None,
) -> WorkFits:
    calibration = None if work.measured is None else _calibration(work.measured, training, catalog)
    answers = [
        best_fit(training, hardware, nodes, confidence=confidence)
        for hardware, can_join in _representatives(catalog, work, wanted)
        for nodes in node_counts
        if nodes == 1 or can_join
    ]
    fits = [_calibrated(fit, calibration) for fit in answers if isinstance(fit, Fit)]
    fits.sort(key=lambda fit: (fit.gpu_model, fit.gpus_per_node * fit.nodes))
    misfits = [misfit for misfit in answers if isinstance(misfit, Misfit)]
    misfits.sort(key=lambda misfit: (misfit.gpu_model, misfit.gpus_per_node * misfit.nodes))
    return WorkFits(work, training, tuple(fits), tuple(misfits), calibration)


def _representatives(catalog: Catalog, work: Work, wanted: Sequence[str]) -> Iterator[tuple[Hardware, bool]]:
    """One machine for each GPU model and count: the one with the best links, then the best network.

    With it whether its nodes can be joined: an unstated network does not rule it out, as in a plan.
    """
    best: dict[tuple[str, int], Machine] = {}
    for machine in _machines(catalog):
        model = machine.gpu_model
        if machine.gpu_fraction is not None or model not in catalog.gpus or not _asked_for(model, work, wanted):
            continue
        known = best.get((model, machine.gpu_count))
        if known is None or _rank(machine) > _rank(known):
            best[model, machine.gpu_count] = machine
    for (model, _), machine in sorted(best.items()):
        hardware = hardware_of(machine, catalog.gpus[model])
        yield replace(hardware, cores=None, storage_gbyte_per_s=None), can_be_joined(machine)


def _machines(catalog: Catalog) -> Iterable[Machine]:
    yield from (offer.machine for offer in catalog.offers())
    yield from (server.machine for server in catalog.servers.values())


def _asked_for(model: str, work: Work, wanted: Sequence[str]) -> bool:
    if wanted and not any(fnmatchcase(model, glob) for glob in wanted):
        return False
    allowed = not work.gpus.allow or any(fnmatchcase(model, glob) for glob in work.gpus.allow)
    return allowed and not any(fnmatchcase(model, glob) for glob in work.gpus.deny)


def _rank(machine: Machine) -> tuple[int, float, float]:
    link = machine.intra_link
    order = len(LINK_ORDER) if link is IntraLink.NVSWITCH else (LINK_ORDER.index(link) if link in LINK_ORDER else -1)
    return order, machine.network_gbit_per_s or 0.0, machine.ram_gib or 0.0


def _calibration(measured: Measured, training: Training, catalog: Catalog) -> Calibration:
    model = catalog.find_gpu(measured.gpu) or measured.gpu
    per_node = measured.gpus // measured.nodes
    machines = [machine for machine in _machines(catalog) if machine.gpu_model == model]
    exact = [machine for machine in machines if machine.gpu_count == per_node]
    if not machines:
        raise InputError(Problem("measured", "gpu", measured.gpu, "a GPU that the catalog has a machine of"))
    hardware = hardware_of(max(exact or machines, key=_rank), catalog.gpus[model])
    try:
        return calibrate(training, measured, replace(hardware, gpus=per_node))
    except ValueError as error:
        raise InputError(
            Problem("measured", "tokens_per_second", str(measured.tokens_per_second), str(error))
        ) from error


def _calibrated(fit: Fit, calibration: Calibration | None) -> Fit:
    if calibration is None or fit.gpu_model != calibration.gpu_model:
        return fit
    return calibration.applied(fit)

"""What an interface leaves out, filled from the same machine in the catalog at hand, and said to be so."""

from collections.abc import Mapping
from typing import Any

from optimizer.catalog import Catalog
from optimizer.catalog.snapshot import providers, read_snapshot
from optimizer.domain.gpu import Gpu
from optimizer.domain.offer import Machine, Offer

#: Fields that name a machine or tell where it was seen: never filled from elsewhere.
_IDENTITY = {"provider", "instance_type", "gpu_model", "gpu_label", "gpu_count", "gpu_fraction"}
_PROVENANCE = {"facts", "observed", "source", "note"}
#: What the GPU's data sheet says: it follows the model.
_OF_THE_GPU = ("memory_type", "memory_bandwidth_gbyte_per_s", "compute_capability")
_FILLED = tuple(name for name in Machine.model_fields if name not in _IDENTITY | _PROVENANCE)


class KnownFacts:
    """The machines of one provider as the catalog has them, one for each type."""

    def __init__(self, catalog: Catalog, provider: str) -> None:
        self._gpus = catalog.gpus
        self._machines: dict[str, Machine] = {}
        for files in reversed(catalog.layers):
            if provider in providers(files):
                found = read_snapshot(files, provider).machines
                self._machines |= {instance_type: machine for (instance_type, _), machine in found.items()}

    def complete(self, offer: Offer) -> Offer:
        """The offer with the facts that its interface does not tell.

        Only between machines with the same GPUs: a type that changed its hardware keeps its unknowns. A GPU named
        without its form factor ("A100", 80 GB) takes the form factor on record for the same type.
        """
        machine, known = offer.machine, self._machines.get(offer.instance_type)
        if known is None or known.gpu_count != machine.gpu_count or known.gpu_fraction != machine.gpu_fraction:
            return offer
        update: dict[str, Any] = {}
        if known.gpu_model != machine.gpu_model:
            if not _is_variant(self._gpus, machine.gpu_model, known.gpu_model):
                return offer
            usable = min(machine.gpu_memory_usable_gib, known.gpu_memory_usable_gib)
            exact = self._gpus[known.gpu_model]
            update = {name: getattr(exact, name) for name in _OF_THE_GPU if getattr(machine, name) is not None}
            update |= {"gpu_model": known.gpu_model, "gpu_memory_usable_gib": usable}
        update |= {
            name: getattr(known, name)
            for name in _FILLED
            if getattr(machine, name) is None and getattr(known, name) is not None
        }
        if not update:
            return offer
        facts = {name: _how(known, name) for name in update} | machine.facts
        return offer.model_copy(update={"machine": machine.model_copy(update={**update, "facts": facts})})


def _is_variant(gpus: Mapping[str, Gpu], general: str, exact: str) -> bool:
    """Whether `general` names the chip and memory of `exact` without its form factor."""
    one, other = gpus.get(general), gpus.get(exact)
    if one is None or other is None or one.form_factor is not None:
        return False
    return one.memory_gib == other.memory_gib and general.partition("-")[0] == exact.partition("-")[0]


def _how(machine: Machine, name: str) -> str:
    told = machine.facts.get(name, machine.source) or "no source on record"
    return f"derived: earlier snapshot ({told})".replace("|", ";")

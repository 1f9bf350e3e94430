"""Providers' GPU names looked up in the catalog's alias table, with the few ways in which names are dressed up."""

import re
from collections.abc import Iterator
from functools import cache

from optimizer.catalog import Catalog
from optimizer.domain.gpu import Gpu
from providers._kit.contract import FindGpu
from providers._kit.machines import memory_fits

#: Words that providers put before the model and that name no variant.
_MAKERS = re.compile(r"^(?:(?:nvidia|amd|intel|tesla|geforce|instinct)[\s_-]+)+", re.IGNORECASE)
#: Names with their parts, and the spellings to try for each, the most exact first.
_DRESSES: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (  # "H100 (80 GB SXM5)"
        re.compile(r"^(?P<chip>[^(]+?)\s*\((?P<memory>\d+) ?GB(?: (?P<form>\w+))?\)$", re.IGNORECASE),
        ("{chip}-{form}-{memory}GB", "{chip}-{form}", "{chip}-{memory}GB", "{chip}"),
    ),
    (  # "H100-80G-PCIe", "A100 80GB SXM4"
        re.compile(r"^(?P<chip>.+?)[\s-](?P<memory>\d+)GB?[\s-](?P<form>SXM\d?|PCIe|NVL)$", re.IGNORECASE),
        ("{chip}-{form}-{memory}GB", "{chip}-{form}"),
    ),
    (re.compile(r"^(?P<chip>.+?)[\s-](?P<memory>\d+)G$", re.IGNORECASE), ("{chip}-{memory}GB",)),  # "V100-32g"
    (re.compile(r"^(?P<chip>.+?)\s+SXM\d?(?: AC)?$", re.IGNORECASE), ("{chip}",)),  # "B300 SXM6 AC"
    (re.compile(r"^(?:BM|VM)\.GPU\.(?P<chip>[A-Z0-9]+?)(?:-v\d)?$"), ("{chip}",)),  # "BM.GPU.B200"
    (re.compile(r"^gpu-(?P<chip>[a-z0-9]+?)(?:-(?:sxm|pcie))?(?:-[a-z])?$"), ("{chip}",)),  # "gpu-l40s-a"
)


def gpu_finder(catalog: Catalog) -> FindGpu:
    """A lookup for adapters: exact aliases first, then the name undressed; never a guess between variants.

    Of several readings one with a known form factor goes first. A name whose memory disagrees with every reading is
    answered by its first reading, so that the adapter can say so.
    """

    def find(label: str, memory_gib: float | None, provider: str) -> Gpu | None:
        models = (catalog.find_gpu(spelling, provider, memory_gib) for spelling in _spellings(label, memory_gib))
        readings = [gpus[model] for model in models if model in gpus]
        fitting = [gpu for gpu in readings if memory_gib is None or memory_fits(gpu, memory_gib)]
        exact = [gpu for gpu in fitting if gpu.form_factor is not None]
        return next(iter(exact or fitting or readings), None)

    gpus = catalog.gpus
    return cache(find)


def _spellings(label: str, memory_gib: float | None) -> Iterator[str]:
    plain = label.replace("®", "").strip()
    bare = _MAKERS.sub("", plain)
    yield plain
    yield bare
    if memory_gib is not None:
        yield f"{bare}-{round(memory_gib)}GB"
    for pattern, spellings in _DRESSES:
        parts = pattern.match(bare)
        if parts:
            known = {name: text or "" for name, text in parts.groupdict().items()}
            yield from (spelling.format(**known).replace("--", "-") for spelling in spellings)

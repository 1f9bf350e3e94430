"""N1 machines with attached GPUs: every predefined shape that Google allows for a number of cards.

Reference: https://cloud.google.com/compute/docs/gpus (N1 machine series), limits as read 2026-11-30; where zones differ
the lower limit counts. Shapes with fewer than four vCPUs a card are left out: they could not feed it.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from providers._kit.reading import CamelWire, read_row

SERIES = ("n1-standard", "n1-highmem")
LEAST_VCPUS_A_CARD = 4
#: Accelerator type to (number of cards, most vCPUs, most GiB of memory).
_LIMITS: dict[str, tuple[tuple[int, int, float], ...]] = {
    "nvidia-tesla-t4": ((1, 48, 312), (2, 48, 312), (4, 96, 624)),
    "nvidia-tesla-p4": ((1, 24, 156), (2, 48, 312), (4, 96, 624)),
    "nvidia-tesla-p100": ((1, 16, 104), (2, 32, 208), (4, 64, 208)),
    "nvidia-tesla-v100": ((1, 12, 78), (2, 24, 156), (4, 48, 312), (8, 96, 624)),
}
_MIB_PER_GIB = 1024


class AcceleratorType(CamelWire):
    """What a zone has: the most cards of a type that one machine may have."""

    name: str
    maximum_cards_per_instance: int


class _Shape(CamelWire):
    name: str
    guest_cpus: int
    memory_mb: float


def is_n1(row: dict[str, Any]) -> bool:
    """Whether a machine type is a predefined N1 shape that GPUs can be attached to."""
    return str(row.get("name")).rpartition("-")[0] in SERIES


def with_cards(row: Any, accelerators: Iterable[AcceleratorType]) -> Iterator[dict[str, Any]]:
    """A machine type with each number of cards that it may have, written as if the cards were its own.

    Raises:
        Unreadable: the row is not in its documented shape.
    """
    shape = read_row(_Shape, row)
    for accelerator in accelerators:
        for cards, most_vcpus, most_gib in _LIMITS.get(accelerator.name, ()):
            enough = LEAST_VCPUS_A_CARD * cards <= shape.guest_cpus <= most_vcpus
            is_allowed = cards <= accelerator.maximum_cards_per_instance
            if enough and is_allowed and shape.memory_mb / _MIB_PER_GIB <= most_gib:
                yield {
                    "name": f"{shape.name}+{cards}x-{accelerator.name}",
                    "guestCpus": shape.guest_cpus,
                    "memoryMb": shape.memory_mb,
                    "accelerators": [
                        {"guestAcceleratorType": accelerator.name, "guestAcceleratorCount": cards},
                    ],
                }

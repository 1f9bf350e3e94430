"""The only unit conversions of the product. Field names carry their unit; `gb` is 10**9, `gib` 2**30."""

from typing import Final

BYTES_PER_GB: Final = 10**9
BYTES_PER_GIB: Final = 2**30
BYTES_PER_TIB: Final = 2**40
MIB_PER_GIB: Final = 1024
HOURS_PER_DAY: Final = 24
DAYS_PER_YEAR: Final = 365
MONTHS_PER_YEAR: Final = 12
#: Hours that a published "per hour" price of a monthly rent stands for (design convention).
HOURS_PER_MONTH: Final = 730
#: Hours that a published "per hour" price of a yearly rent stands for (design convention).
HOURS_PER_YEAR: Final = 8_760
SECONDS_PER_HOUR: Final = 3_600
BITS_PER_BYTE: Final = 8
#: Memory sizes are compared nominally: 31 GiB of a "32 GB" machine counts as 32 (rules.md; tolerance ours).
NOMINAL_MEMORY_TOLERANCE: Final = 0.04


def gb_to_gib(size_gb: float) -> float:
    """Decimal gigabytes to binary gibibytes."""
    return size_gb * BYTES_PER_GB / BYTES_PER_GIB


def gib_to_gb(size_gib: float) -> float:
    """Binary gibibytes to decimal gigabytes."""
    return size_gib * BYTES_PER_GIB / BYTES_PER_GB


def mib_to_gib(size_mib: float) -> float:
    """Mebibytes to gibibytes."""
    return size_mib / MIB_PER_GIB


def gbit_to_gbyte(rate_gbit_per_s: float) -> float:
    """Gigabits a second to gigabytes a second."""
    return rate_gbit_per_s / BITS_PER_BYTE


def nominally_at_least(size_gib: float, required_gib: float) -> bool:
    """Whether a size reaches a requirement when marketing sizes are read as sold (within 4 %)."""
    return size_gib >= required_gib * (1 - NOMINAL_MEMORY_TOLERANCE)

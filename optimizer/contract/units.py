"""Units in which vendors answer, and figures read from what they write."""

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

_CNY = {"CNY": "1", "RMB": "1", "元": "1", "人民币": "1", "¥": "1", "万元": "10000"}
_USD = {"USD": "1", "US$": "1", "$": "1", "美元": "1"}
_PER = {
    "hour": ("hour", "h", "小时", "时"),
    "day": ("day", "d", "天", "日"),
    "week": ("week", "周"),
    "month": ("month", "月", "个月"),
    "year": ("year", "年"),
    "unit": ("unit", "machine", "台"),
    "term": ("term", "期"),
    "GB": ("GB",),
}
#: Answered unit to required unit: multiply by. GPU and host memory are sold in binary sizes under the name GB, so that
#: "512 GB" answers 512 GiB; the acceptance test decides. Storage is sold in decimal units. A vCPU is no core: no entry.
FACTORS: dict[str, dict[str, str]] = {
    "GiB": {"GiB": "1", "GB": "1", "gb": "1", "G": "1", "TiB": "1024", "TB": "1024", "tb": "1024", "T": "1024"},
    "GB": {"GB": "1", "TB": "1000", "T": "1000", "PB": "1000000", "GiB": "1.073741824", "TiB": "1099.511627776"},
    "GB/s": {"GB/s": "1", "MB/s": "0.001", "GiB/s": "1.073741824", "MiB/s": "0.001048576", "TB/s": "1000"},
    "Gbit/s": {
        "Gbit/s": "1",
        "Gb/s": "1",
        "Gbps": "1",
        "Mbps": "0.001",
        "Mbit/s": "0.001",
        "Tbps": "1000",
        "GB/s": "8",
    },
    "core": {"core": "1", "cores": "1", "核": "1", "physical cores": "1", "物理核": "1"},
    "lane": {"lane": "1", "lanes": "1", "条": "1"},
    "GPU": {"GPU": "1", "GPUs": "1", "张": "1", "卡": "1", "块": "1"},
    "MT/s": {"MT/s": "1"},
    "IOPS": {"IOPS": "1", "万 IOPS": "10000", "万IOPS": "10000", "K IOPS": "1000", "kIOPS": "1000"},
    "kW": {"kW": "1", "千瓦": "1", "W": "0.001", "瓦": "0.001", "MW": "1000"},
    "CNY": _CNY,
    "USD": _USD,
    "%": {"%": "1", "％": "1", "percent": "1"},
}
#: A card's memory in GB is the size by which it is sold; GiB says the same there.
GPU_MEMORY: dict[str, str] = {"GB": "1", "gb": "1", "GiB": "1", "G": "1"}
#: Things that are counted: a number alone says all. Every other figure needs its unit.
COUNTED = frozenset({"", "GPU", "core", "lane"})
_AT_LEAST = ("at least", "no less than", "not less than", "minimum", "不少于", "不低于", "不小于", "至少", "大于等于")
_AT_MOST = (
    "at most",
    "no more than",
    "not more than",
    "up to",
    "maximum",
    "不超过",
    "不多于",
    "不高于",
    "至多",
    "小于等于",
)
_WORDS = "|".join((*_AT_LEAST, *_AT_MOST))
_WRITTEN = re.compile(
    rf"^(?P<bound>>=|<=|[≥≤><=]|{_WORDS})?\s*(?P<number>\d[\d,，]*(?:\.\d+)?)\s*(?P<unit>\D.*?)?\s*(?P<after>以上|以下|以内)?$",
    re.IGNORECASE,
)
_BOUNDS = {
    ">=": "≥",
    "<=": "≤",
    "=": "",
    "以上": "≥",
    "以下": "≤",
    "以内": "≤",
    **dict.fromkeys(_AT_LEAST, "≥"),
    **dict.fromkeys(_AT_MOST, "≤"),
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as a vendor wrote it."""

    bound: str
    number: Decimal
    unit: str


def read_figure(text: str) -> Figure | None:
    """A single figure with its unit, or None: ranges, "about" and words are no figures."""
    found = _WRITTEN.match(text.strip())
    if found is None:
        return None
    try:
        number = Decimal(found["number"].replace(",", "").replace("，", ""))
    except InvalidOperation:
        return None
    bounds = [bound.casefold() for bound in (found["bound"], found["after"]) if bound]
    if len(bounds) > 1:
        return None
    bound = bounds[0] if bounds else ""
    return Figure(_BOUNDS.get(bound, bound), number, (found["unit"] or "").strip())


def factor(answered: str, required: str, *, gpu_memory: bool = False) -> Decimal | None:
    """What an answered unit is in the required one; None where the two do not compare, or where none is written."""
    if answered == required or (not answered and required in COUNTED):
        return Decimal(1)
    if not answered:
        return None
    if gpu_memory:
        return _look_up(GPU_MEMORY, answered)
    if "/" in required and required not in FACTORS:
        return _rate_factor(answered, required)
    return _look_up(FACTORS.get(required, {}), answered)


def _rate_factor(answered: str, required: str) -> Decimal | None:
    """Money for a unit of time: the same unit of time, the currency by its names."""
    money, _, per = required.partition("/")
    given_money, _, given_per = answered.partition("/")
    names = _PER.get(per, (per,))
    if given_per.strip().casefold() not in {name.casefold() for name in names}:
        return None
    return factor(given_money.strip(), money)


def _look_up(table: dict[str, str], answered: str) -> Decimal | None:
    """Exact spelling first; then without regard to case but for b and B, which are bits and bytes."""
    if answered in table:
        return Decimal(table[answered])
    close = {value for name, value in table.items() if _folded(name) == _folded(answered)}
    return Decimal(close.pop()) if len(close) == 1 else None


def _folded(unit: str) -> str:
    return "".join(char if char in "bB" else char.casefold() for char in unit)

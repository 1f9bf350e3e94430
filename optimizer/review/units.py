"""How many hours one unit of a bill's quantity stands for."""

import re
from dataclasses import dataclass
from decimal import Decimal

_LEADING_NUMBER = re.compile(r"^([0-9]+(?:\.[0-9]+)?)\s*(.*)$")
_WORDS = re.compile(r"[a-z]+|[\u4e00-\u9fff]+")
_HOURS_PER_WORD: dict[str, Decimal] = {
    **dict.fromkeys(("hours", "hour", "hrs", "hr", "h", "小时", "时"), Decimal(1)),
    **dict.fromkeys(("minutes", "minute", "min", "mins", "分钟", "分"), 1 / Decimal(60)),
    **dict.fromkeys(("seconds", "second", "sec", "secs", "s", "秒"), 1 / Decimal(3600)),
    **dict.fromkeys(("days", "day", "天", "日"), Decimal(24)),
}
#: Units that stand for the whole charge period, however long its month is.
_PERIOD_WORDS = frozenset(("months", "month", "mo", "月", "years", "year", "年"))
_MACHINE_WORDS = frozenset(
    (
        *("instance", "instances", "vm", "machine", "machines", "node", "server", "compute", "usage", "virtual", "per"),
        *("实例", "台", "个", "台小时", "实例小时"),
    )
)
_GPU_WORDS = frozenset(("gpu", "gpus", "card", "卡", "卡时", "卡小时"))


@dataclass(frozen=True, slots=True)
class HourUnit:
    """`hours` of one unit (`None` with `whole_period`); `per_gpu`: they are hours of one GPU, not of the machine."""

    hours: Decimal | None
    whole_period: bool = False
    per_gpu: bool = False


def hour_unit(text: str) -> HourUnit | None:
    """Read a unit such as Hrs, 100 Hours, Second, GPU Hours, 小时 or Month; `None` for every other unit."""
    found = _LEADING_NUMBER.match(text.strip().casefold())
    number, name = (Decimal(found[1]), found[2]) if found else (Decimal(1), text.strip().casefold())
    words = _WORDS.findall(name)
    per_gpu = any(word in _GPU_WORDS for word in words)
    kinds = [word for word in words if word not in _MACHINE_WORDS and word not in _GPU_WORDS]
    if per_gpu and words and words[-1] in ("卡时", "卡小时"):
        kinds = ["小时"]
    if any(word in ("实例小时", "台小时") for word in words):
        kinds = ["小时"]
    if len(kinds) != 1:
        return None
    if kinds[0] in _HOURS_PER_WORD:
        return HourUnit(number * _HOURS_PER_WORD[kinds[0]], per_gpu=per_gpu)
    return HourUnit(None, whole_period=True, per_gpu=per_gpu) if kinds[0] in _PERIOD_WORDS else None

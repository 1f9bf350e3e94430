"""How many hours one unit of a bill's quantity stands for."""

import re
from dataclasses import dataclass
from decimal import Decimal

from optimizer.domain.units import MONTHS_PER_YEAR

_LEADING_NUMBER = re.compile(r"^([0-9]+(?:\.[0-9]+)?)\s*(.*)$")
_WORDS = re.compile(r"[a-z]+|[\u4e00-\u9fff]+")
_HOURS_PER_WORD: dict[str, Decimal] = {
    **dict.fromkeys(("hours", "hour", "hrs", "hr", "h", "小时", "时"), Decimal(1)),
    **dict.fromkeys(("minutes", "minute", "min", "mins", "分钟", "分"), 1 / Decimal(60)),
    **dict.fromkeys(("seconds", "second", "sec", "secs", "s", "秒"), 1 / Decimal(3600)),
    **dict.fromkeys(("days", "day", "天", "日"), Decimal(24)),
}
#: Units that stand for the charge period, however long its month is, and their months.
MONTH_WORDS = ("months", "month", "mo", "月", "个月", "台月")
YEAR_WORDS = ("years", "year", "年", "台年")
_MONTHS_PER_WORD = {**dict.fromkeys(MONTH_WORDS, 1), **dict.fromkeys(YEAR_WORDS, MONTHS_PER_YEAR)}
_MACHINE_WORDS = frozenset(
    (
        *("instance", "instances", "vm", "machine", "machines", "node", "server", "compute", "usage", "virtual", "per"),
        *("实例", "台", "个"),
    )
)
_GPU_WORDS = frozenset(("gpu", "gpus", "card", "卡"))
#: Written without a space: machine hours and machine days, and hours of one GPU.
_MACHINE_TIMES = {
    **dict.fromkeys(("台时", "台小时", "机时", "机器小时", "实例小时", "实例时"), "小时"),
    **dict.fromkeys(("台天", "台日"), "天"),
}
_GPU_TIMES = {**dict.fromkeys(("卡时", "卡小时"), "小时"), **dict.fromkeys(("卡天", "卡日"), "天")}


@dataclass(frozen=True, slots=True)
class HourUnit:
    """`hours` of one unit; `per_gpu`: they are hours of one GPU, not of the machine.

    `None` with `period_months`: the unit is as many months as its charge period has, of any length.
    """

    hours: Decimal | None
    period_months: int = 0
    per_gpu: bool = False


def hour_unit(text: str) -> HourUnit | None:
    """Read a unit such as Hrs, 100 Hours, Second, GPU Hours, 小时 or Month; `None` for every other unit."""
    found = _LEADING_NUMBER.match(text.strip().casefold())
    number, name = (Decimal(found[1]), found[2]) if found else (Decimal(1), text.strip().casefold())
    words = _WORDS.findall(name)
    per_gpu = any(word in _GPU_WORDS or word in _GPU_TIMES for word in words)
    times = [_MACHINE_TIMES.get(word) or _GPU_TIMES.get(word) or word for word in words]
    kinds = [word for word in times if word not in _MACHINE_WORDS and word not in _GPU_WORDS]
    if len(kinds) != 1:
        return None
    if kinds[0] in _HOURS_PER_WORD:
        return HourUnit(number * _HOURS_PER_WORD[kinds[0]], per_gpu=per_gpu)
    months = _MONTHS_PER_WORD.get(kinds[0])
    return None if months is None else HourUnit(None, months, per_gpu=per_gpu)

"""What is worth a word beside a price: marks, kind, age, stock, how short a time is billed, how often spot is taken."""

from collections.abc import Iterable, Iterator

from optimizer.catalog.freshness import Freshness
from optimizer.domain.offer import Availability, Mark, PriceKind
from optimizer.domain.text import Text

#: Codes without an entry (list, spot, recent, unknown) are the ordinary case and need no word.
_WORDS: dict[str, Text] = {
    Mark.SUPERSEDED: Text("superseded", "已被取代"),
    Mark.FLOOR: Text("floor", "起步价"),
    Mark.CAPPED: Text("capped", "封顶价"),
    Mark.RETIRED: Text("retired", "已停售"),
    Mark.FRACTIONAL: Text("fractional", "非整卡"),
    Mark.NOT_SOLD: Text("not sold so", "不以此方式出售"),
    Mark.RATE_UNKNOWN: Text("rate unknown", "费率未知"),
    Mark.CONFLICT: Text("conflict", "来源矛盾"),
    Mark.PARTIAL: Text("partial", "不完整"),
    Mark.EXPIRED: Text("expired", "已过期"),
    PriceKind.STREET: Text("street", "租商报价"),
    PriceKind.MARKET_QUOTE: Text("market quote", "市场行情"),
    PriceKind.QUOTE: Text("quote", "询得报价"),
    Freshness.OLD: Text("old", "较旧"),
    Freshness.UNDATED: Text("undated", "无日期"),
    Availability.IN_STOCK: Text("in stock", "有货"),
    Availability.NONE: Text("sold out", "无货"),
}
_BILLED = Text("billed by {unit}", "按{unit}计费")
_MINIMUM = Text("at least {time}", "最少 {time}")
_INTERRUPTED = Text("interrupted {rate} times an hour", "每小时中断 {rate} 次")
_SECOND, _MINUTE = Text("the second", "秒"), Text("the minute", "分钟")
_SECONDS_PER_HOUR, _SECONDS_PER_MINUTE = 3600, 60


def remarks(
    codes: Iterable[str | None],
    billing_unit_hours: float | None = None,
    minimum_hours: float | None = None,
    interruptions_per_hour: float | None = None,
) -> Iterator[Text]:
    """Words for marks, kinds, ages and stock by their codes, then for billing and interruptions where stated."""
    yield from (_WORDS[code] for code in codes if code in _WORDS)
    if billing_unit_hours is not None and billing_unit_hours != 1:
        yield _with(_BILLED, unit=_unit(billing_unit_hours))
    if minimum_hours:
        yield _with(_MINIMUM, time=_time(minimum_hours))
    if interruptions_per_hour is not None:
        rate = f"{interruptions_per_hour:.2g}"
        yield _with(_INTERRUPTED, rate=Text(rate, rate))


def _unit(hours: float) -> Text:
    seconds = round(hours * _SECONDS_PER_HOUR)
    return {1: _SECOND, _SECONDS_PER_MINUTE: _MINUTE}.get(seconds) or _time(hours)


def _time(hours: float) -> Text:
    seconds = round(hours * _SECONDS_PER_HOUR)
    if seconds % _SECONDS_PER_HOUR == 0:
        return Text(f"{seconds // _SECONDS_PER_HOUR} h", f"{seconds // _SECONDS_PER_HOUR} 小时")
    if seconds % _SECONDS_PER_MINUTE == 0:
        return Text(f"{seconds // _SECONDS_PER_MINUTE} min", f"{seconds // _SECONDS_PER_MINUTE} 分钟")
    return Text(f"{seconds} s", f"{seconds} 秒")


def _with(template: Text, **values: Text) -> Text:
    """A text whose placeholders are texts themselves."""
    english = {name: value.en for name, value in values.items()}
    chinese = {name: value.zh for name, value in values.items()}
    return Text(template.en.format(**english), template.zh.format(**chinese))

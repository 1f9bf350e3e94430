"""The one formatter of every output: money, dates, durations, sizes, rates. Unknown is "-", never 0.

Nothing here invents precision: money keeps two decimals (or those of a small unit price), speeds keep three
significant figures, memory one decimal.
"""

import math
import unicodedata
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal

from optimizer.domain.money import enough, places_of
from optimizer.domain.text import Language, Text

UNKNOWN = "-"
#: Unit prices carry at most the places of the plan file.
MOST_PLACES = 6
SIGNIFICANT_FIGURES = 3

#: Singular and plural of every unit that a plan counts in.
UNITS: dict[str, tuple[Text, Text]] = {
    "hour": (Text("hour", "小时"), Text("hours", "小时")),
    "day": (Text("day", "天"), Text("days", "天")),
    "week": (Text("week", "周"), Text("weeks", "周")),
    "month": (Text("month", "个月"), Text("months", "个月")),
    "year": (Text("year", "年"), Text("years", "年")),
    "term": (Text("term", "期"), Text("terms", "期")),
    "unit": (Text("unit", "台"), Text("units", "台")),
    "gb": (Text("GB", "GB"), Text("GB", "GB")),
    "gb_month": (Text("GB-month", "GB·月"), Text("GB-months", "GB·月")),
    "gb_day": (Text("GB-day", "GB·天"), Text("GB-days", "GB·天")),
    "kwh": (Text("kWh", "千瓦时"), Text("kWh", "千瓦时")),
    "kw_month": (Text("kW-month", "千瓦·月"), Text("kW-months", "千瓦·月")),
    "machine": (Text("machine", "台"), Text("machines", "台")),
    "rule": (Text("rule", "条规则"), Text("rules", "条规则")),
    "fact": (Text("fact", "项事实"), Text("facts", "项事实")),
    "node": (Text("node", "个节点"), Text("nodes", "个节点")),
    "gpu": (Text("GPU", "块 GPU"), Text("GPUs", "块 GPU")),
}


def clean(text: str) -> str:
    """A text from outside on one line: control and direction-changing characters are dropped."""
    kept = (" " if char in "\n\r\t" else char for char in text)
    return "".join(char for char in kept if unicodedata.category(char) not in ("Cc", "Cf", "Cs"))


def significant(value: float) -> str:
    """Three significant figures with thousands separators: 3,900; 842; 12.3; 0.5."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else UNKNOWN
    magnitude = math.floor(math.log10(abs(value)))
    rounded = round(value, SIGNIFICANT_FIGURES - 1 - magnitude)
    places = max(0, SIGNIFICANT_FIGURES - 1 - magnitude)
    text = f"{rounded:,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@dataclass(frozen=True, slots=True)
class Numbers:
    """Formats values for one language and one plan currency."""

    language: Language
    currency: str

    def amount(self, value: Decimal | None, currency: str | None = None) -> str:
        """An amount without its currency: "28,053.96"; an amount that would round to 0 keeps its figures."""
        if value is None:
            return UNKNOWN
        places = places_of(currency or self.currency)
        rounded = value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN)
        return self.plain(value, places) if rounded == 0 and value != 0 else f"{rounded:,}"

    def money(self, value: Decimal | None, currency: str | None = None) -> str:
        """An amount with its ISO code: "28,053.96 CNY"."""
        code = currency or self.currency
        return UNKNOWN if value is None else f"{self.amount(value, code)} {clean(code)}"

    def least_budget(self, value: Decimal) -> str:
        """A budget that covers an amount, rounded up: "58.64 CNY" for 58.634139."""
        return self.money(enough(value, self.currency))

    def unit_price(self, value: Decimal | None, currency: str | None = None) -> str:
        """A price as published, with at least the currency's decimals and at most six: "9.5326 CNY"."""
        code = currency or self.currency
        return UNKNOWN if value is None else f"{self.plain(value, places_of(code))} {clean(code)}"

    def plain(self, value: Decimal, least_places: int = 0) -> str:
        """A decimal with separators, rounded to six places, trailing zeros dropped down to `least_places`."""
        rounded = value.quantize(Decimal(1).scaleb(-MOST_PLACES), rounding=ROUND_HALF_EVEN)
        whole, _, fraction = f"{rounded:,f}".partition(".")
        fraction = fraction.rstrip("0").ljust(least_places, "0")
        return f"{whole}.{fraction}" if fraction else whole

    def percent(self, fraction: float | None) -> str:
        """A fraction as a percentage: whole from 10 %, one decimal below, "<0.1%" for less than that."""
        if fraction is None:
            return UNKNOWN
        value = fraction * 100
        if value != 0 and abs(value) < 0.05:
            return "<0.1%" if value > 0 else ">-0.1%"
        text = f"{value:,.0f}" if abs(value) >= 9.95 else f"{value:.1f}"
        return f"{text.removesuffix('.0')}%"

    def hours(self, value: float | None) -> str:
        """Hours: whole from 100 on, one decimal below."""
        if value is None:
            return UNKNOWN
        text = f"{value:,.0f}" if value >= 99.95 else f"{value:.1f}".removesuffix(".0")
        return f"{text} h" if self.language == "en" else f"{text} 小时"

    def count(self, value: Decimal | int, unit: str) -> str:
        """A quantity with its unit in the right number: "1 month", "3 months", "3 个月"."""
        number = self.plain(Decimal(value))
        return f"{number} {self.unit(unit, plural=Decimal(value) != 1)}"

    def unit(self, unit: str, *, plural: bool = False) -> str:
        """The name of a unit; a unit that is not on record is shown as it stands in the plan."""
        names = UNITS.get(unit.lower().replace("-", "_"))
        return clean(unit).replace("_", " ") if names is None else names[plural].say(self.language)

    def days(self, value: int | None) -> str:
        """A number of days."""
        return UNKNOWN if value is None else self.count(value, "day")

    def rate(self, value: float | None) -> str:
        """Tokens a second, three significant figures."""
        if value is None:
            return UNKNOWN
        return f"{significant(value)} tokens/s" if self.language == "en" else f"{significant(value)} token/秒"

    def gib(self, value: float | None) -> str:
        """A size in GiB with one decimal."""
        return UNKNOWN if value is None else f"{value:,.1f} GiB"

    def day(self, value: date | None) -> str:
        """A date in ISO order, the same in both languages."""
        return UNKNOWN if value is None else value.isoformat()

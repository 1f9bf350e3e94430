"""Money: exact decimals for prices, integer millionths ("micros") for costs, dated rates between currencies."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Decimal

MICROS_PER_UNIT = 1_000_000
USD = "USD"
#: ISO 4217 currencies without a minor unit that prices of machines are seen in.
WHOLE_CURRENCIES = frozenset({"JPY", "KRW", "VND", "CLP", "ISK"})

#: What currencies are called that have another code; ¥ and $ are left out: several currencies are written so.
CURRENCY_NAMES: dict[str, str] = {
    "RMB": "CNY",
    "人民币": "CNY",
    "元": "CNY",
    "US$": "USD",
    "美元": "USD",
    "美金": "USD",
    "港币": "HKD",
    "港元": "HKD",
    "欧元": "EUR",
    "EURO": "EUR",
    "日元": "JPY",
    "新台币": "TWD",
    "NTD": "TWD",
}


def currency_meant(text: str) -> str | None:
    """The code of a currency that is called by another name or written in small letters; None for anything else."""
    upper = text.strip().upper()
    if upper in CURRENCY_NAMES:
        return CURRENCY_NAMES[upper]
    return upper if upper != text and re.fullmatch(r"[A-Z]{3}", upper) else None


def to_micros(amount: Decimal) -> int:
    """An amount as an integer of 10**-6 of its currency, rounded once, half to even."""
    return int((amount * MICROS_PER_UNIT).to_integral_value(rounding=ROUND_HALF_EVEN))


def from_micros(micros: int) -> Decimal:
    """The exact decimal amount of an integer of 10**-6 of a currency."""
    return Decimal(micros) / MICROS_PER_UNIT


def places_of(currency: str) -> int:
    """Decimals of an amount in a currency."""
    return 0 if currency in WHOLE_CURRENCIES else 2


def enough(amount: Decimal, currency: str) -> Decimal:
    """An amount in whole minor units that covers it: a budget of 58.634139 CNY is 58.64 CNY."""
    return amount.quantize(Decimal(1).scaleb(-places_of(currency)), rounding=ROUND_CEILING)


@dataclass(frozen=True, slots=True)
class Rate:
    """Units of `currency` for one USD on `day`, with its source."""

    currency: str
    units_per_usd: Decimal
    day: date | None
    source: str


@dataclass(frozen=True)
class Rates:
    """One rate per currency for a whole plan.

    Raises `KeyError` for a currency without a rate: callers turn that into a problem of the input.
    """

    by_currency: Mapping[str, Rate] = field(default_factory=dict)

    def factor(self, source: str, target: str) -> Decimal:
        """What one unit of `source` is worth in `target`."""
        if source == target:
            return Decimal(1)
        return self._units_per_usd(target) / self._units_per_usd(source)

    def convert(self, amount: Decimal, source: str, target: str) -> Decimal:
        """An amount of `source` in `target`, unrounded."""
        return amount if source == target else amount * self.factor(source, target)

    def _units_per_usd(self, currency: str) -> Decimal:
        return Decimal(1) if currency == USD else self.by_currency[currency].units_per_usd

"""What a review finds: one record a finding, its words in both languages, its saving in one currency."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any, Literal

from optimizer.domain.text import Text

Kind = Literal["saving", "warning", "note"]
CENT = Decimal("0.01")
MICRO = Decimal("0.000001")


@dataclass(frozen=True, slots=True)
class ReviewFinding:
    """`id` names the kind of finding, `subject` what it is about; both together are stable between runs.

    `saving` of the period under review in `currency`; `None` where no amount can be stated. `details` are lines of
    evidence, `proof` says why the saving cannot be larger or how it was counted.
    """

    id: str
    kind: Kind
    text: Text
    subject: str = ""
    saving: Decimal | None = None
    currency: str | None = None
    details: tuple[Text, ...] = ()
    proof: Text | None = None

    def __post_init__(self) -> None:
        if self.saving is not None:
            # Prices for an hour are quotients without end: savings are kept in millionths, as all costs are.
            object.__setattr__(self, "saving", self.saving.quantize(MICRO, ROUND_HALF_EVEN))


def filled(text: Text, **values: Any) -> Text:
    """A sentence with its placeholders filled in both languages."""
    return Text(text.en.format(**values), text.zh.format(**values))


def money(amount: Decimal, currency: str) -> str:
    """An amount for reading: two places, thousands apart, the code behind it."""
    return f"{amount.quantize(CENT, ROUND_HALF_EVEN):,.2f} {currency}"


def price(amount: Decimal, currency: str) -> str:
    """A price for an hour: four places."""
    return f"{amount.quantize(Decimal('0.0001'), ROUND_HALF_EVEN):,.4f} {currency}"


def hours(amount: Decimal) -> str:
    """Hours for reading: at most two places, no zeros at the end."""
    text = f"{amount.quantize(CENT, ROUND_HALF_EVEN):,.2f}"
    return text.rstrip("0").rstrip(".")


def percent(part: Decimal, whole: Decimal) -> str:
    """A share with one place; `-` of nothing."""
    return f"{part / whole * 100:.1f} %" if whole else "-"


_ORDER = {"saving": 0, "warning": 1, "note": 2}


def in_order(findings: Iterable[ReviewFinding]) -> tuple[ReviewFinding, ...]:
    """Savings first, largest first, then warnings and notes by id and subject."""
    return tuple(
        sorted(findings, key=lambda item: (_ORDER[item.kind], -(item.saving or Decimal(0)), item.id, item.subject))
    )

"""What a review finds: one record a finding, its words in both languages, its saving in one currency."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any, Literal

from optimizer.domain.text import Text

Kind = Literal["saving", "warning", "note"]
CENT = Decimal("0.01")
MICRO = Decimal("0.000001")
MORE = Text("... and {count} more", "……另有 {count} 条")


@dataclass(frozen=True, slots=True)
class ReviewFinding:
    """`id` names the kind of finding, `subject` what it is about; both together are stable between runs.

    `saving` of the period under review in `currency`, of a warning or a note the amount that they speak of; `None`
    where no amount can be stated. `details` are lines of evidence, `unlisted` counts more of them that were not kept;
    `proof` says why the saving cannot be larger or how it was counted.
    """

    id: str
    kind: Kind
    text: Text
    subject: str = ""
    saving: Decimal | None = None
    currency: str | None = None
    details: tuple[Text, ...] = ()
    proof: Text | None = None
    unlisted: int = 0

    def __post_init__(self) -> None:
        if self.saving is not None:
            # Prices for an hour are quotients without end: savings are kept in millionths, as all costs are.
            object.__setattr__(self, "saving", self.saving.quantize(MICRO, ROUND_HALF_EVEN))

    def first(self, most: int | None = None) -> tuple[Text, ...]:
        """The first details (all that were kept by default), and how many more there are."""
        kept = self.details[:most]
        left = len(self.details) - len(kept) + self.unlisted
        return (*kept, filled(MORE, count=f"{left:,}")) if left else kept


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


#: What readers see in place of a finding's id.
NAMES = {
    "above-contract": Text("above contract", "高于合同价"),
    "above-list": Text("above list price", "高于目录价"),
    "above-plan": Text("above plan", "高于方案价"),
    "above-quote": Text("above quote", "高于报价"),
    "agreed-not-billed": Text("agreed, not billed", "合同有而账单无"),
    "agreed-not-visible": Text("not visible in a bill", "账单看不出的承诺"),
    "better-mix": Text("better mix", "更优组合"),
    "billed-not-planned": Text("billed, not planned", "账单有而方案无"),
    "budget": Text("budget", "预算"),
    "by-long-term": Text("longer rent", "改长租"),
    "by-the-month": Text("rent by the month", "改包月"),
    "cheaper-offer": Text("cheaper equal offer", "同类更便宜"),
    "commitment-ends": Text("commitment ends", "承诺将到期"),
    "commitment-waste": Text("unused commitment", "承诺未用"),
    "committed-as-standard": Text("committed as standard", "承诺标成标准"),
    "contracted-unknown": Text("contracted cost unknown", "合同价未知"),
    "corrections": Text("corrections", "更正"),
    "duplicates": Text("lines twice", "重复行"),
    "effective-rounded": Text("effective cost rounded", "摊销成本取整"),
    "effective-unknown": Text("effective cost unknown", "摊销成本未知"),
    "forecast": Text("forecast", "预测"),
    "host-apart": Text("host billed apart", "主机另计"),
    "hours-unknown": Text("hours unknown", "时长未知"),
    "idle-machine": Text("idle machine", "空置机器"),
    "idle-reservation": Text("idle reservation", "空置预留"),
    "machine-unknown": Text("unknown machine", "未知机型"),
    "more-hours-than-time": Text("more hours than time", "时长超出时段"),
    "owned": Text("own machines", "改自有"),
    "payment-effective": Text("payment with effective cost", "付款带摊销"),
    "plan-cash": Text("cash against plan", "现金对方案"),
    "plan-outside": Text("plan of another time", "方案期不含本期"),
    "planned-not-billed": Text("planned, not billed", "方案有而账单无"),
    "price-change": Text("price change", "价格变化"),
    "rule-broken": Text("rule broken", "违反规则"),
    "shared": Text("shared charges", "共享费用"),
    "unread": Text("lines not read", "未读取的行"),
    "zones": Text("several clocks", "多个时区"),
}

_ORDER = {"saving": 0, "warning": 1, "note": 2}


def in_order(findings: Iterable[ReviewFinding]) -> tuple[ReviewFinding, ...]:
    """Savings first, largest first, then warnings and notes by id and subject."""
    return tuple(
        sorted(findings, key=lambda item: (_ORDER[item.kind], -(item.saving or Decimal(0)), item.id, item.subject))
    )

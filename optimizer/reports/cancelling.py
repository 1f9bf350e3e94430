"""What providers publish on ending a prepaid term early: facts with source and date, for the risk section only.

Read 2026-11-30 from stored copies of the pages named. A provider or term that is not here is unknown, and said so.
"""

from dataclasses import dataclass

from optimizer.domain.offer import Term
from optimizer.domain.text import Text

SAVINGS_PLANS = frozenset({Term.SAVINGS_PLAN_1Y, Term.SAVINGS_PLAN_3Y})
PREPAID = frozenset({Term.DAY, Term.WEEK, Term.MONTH, Term.YEAR})


@dataclass(frozen=True, slots=True)
class EarlyEnd:
    """One provider's rule for some terms. `source` names the page and the date that it or its copy shows."""

    provider: str
    terms: frozenset[Term]
    rule: Text
    source: str


EARLY_ENDS: tuple[EarlyEnd, ...] = (
    EarlyEnd(
        "alibaba",
        PREPAID,
        Text(
            "full refund within 5 days of a new purchase (one instance a product and year), later in part",
            "新购 5 天内全额退款（每产品每年一台），之后部分退款",
        ),
        "help.aliyun.com/zh/ecs/refund-instructions, 2026",
    ),
    EarlyEnd(
        "tencent",
        PREPAID,
        Text(
            "a prepaid GPU machine cannot be ended before it expires; refunds: once in full within 5 days",
            "包年包月 GPU 实例到期前不可自行终止；退款：5 天内全额一次",
        ),
        "cloud.tencent.com/document/product/560/8025, 2025-12-19",
    ),
    EarlyEnd(
        "huawei",
        PREPAID,
        Text("full refund within 5 days, later less a fee", "5 天内全额退款，之后扣手续费"),
        "support.huaweicloud.com/api-bpconsole zh-cn_topic_0082522030, 2026-11-30",
    ),
    EarlyEnd(
        "autodl",
        frozenset({Term.MONTH}),
        Text("can be turned into hourly use, the rest is refunded", "可转为按量，退还剩余部分"),
        "autodl.com docs, 2026-11-30",
    ),
    EarlyEnd(
        "azure",
        SAVINGS_PLANS,
        Text("cannot be cancelled, exchanged or refunded", "不可取消、更换或退款"),
        "learn.microsoft.com/azure/cost-management-billing/savings-plan/buy-savings-plan, 2023-01-18",
    ),
    EarlyEnd(
        "aws",
        frozenset({Term.CAPACITY_BLOCK}),
        Text("no cancellation, paid in advance", "不可取消，预先付清"),
        "docs.aws.amazon.com capacity-blocks-how, 2026-11-30",
    ),
    EarlyEnd(
        "runpod",
        frozenset({Term.RESERVED_3M, Term.RESERVED_6M}),
        Text("no refund, paid in advance", "不退款，预先付清"),
        "docs.runpod.io/pods/pricing, 2026-11-30",
    ),
)


def early_end(provider: str, term: Term | None) -> EarlyEnd | None:
    """The published rule, or None where none is on record."""
    return next((known for known in EARLY_ENDS if known.provider == provider and term in known.terms), None)

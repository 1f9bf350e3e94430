"""Rules of the documents that a rented machine breaks by itself, whatever runs on it."""

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal

from optimizer.domain.finding import Severity, VerdictKind
from optimizer.domain.gpu import Gpu
from optimizer.domain.text import Text
from optimizer.domain.workload import GpuHours, Work
from optimizer.review.finding import ReviewFinding, money
from optimizer.review.groups import GpuRow
from optimizer.review.offers import PriceBook

BROKEN = Text(
    "{machine} in {region} breaks rule {rule}: {message} Effective cost {amount}.",
    "{region} 的 {machine} 不符合规则 {rule}：{message}摊销成本 {amount}。",
)


def rule_findings(
    rows: Iterable[GpuRow], book: PriceBook, gpu_of: Callable[[str], Gpu | None], profile: str = "documents"
) -> Iterator[ReviewFinding]:
    """One finding for each machine and hard rule about the machine alone that fails on what the catalog knows."""
    from optimizer.rules import RULES_BY_ID, Context, Policy, judge

    policy = Policy.of(profile)  # type: ignore[arg-type]
    for row in rows:
        offer = book.known(row.machine, row.region)
        gpu = None if offer is None else gpu_of(offer.machine.gpu_model)
        if offer is None or gpu is None or offer.machine.gpu_fraction is not None:
            continue
        work = Work(gpu_hours=GpuHours(gpu=gpu.model, hours=float(row.gpu_hours or Decimal(1)) or 1.0))
        context = Context(work, offer.machine, gpu, offer.machine.gpu_count)
        for finding in judge(context, policy):
            decides = RULES_BY_ID[finding.id].machine_only and finding.severity is Severity.HARD
            if decides and finding.verdict is VerdictKind.FAIL:
                values = {"machine": row.machine.instance_type, "region": row.region or "-", "rule": finding.id}
                amount = "-" if row.effective is None else money(row.effective, row.currency)
                text = Text(
                    BROKEN.en.format(**values, message=_sentence(finding.message_en, ". "), amount=amount),
                    BROKEN.zh.format(**values, message=_sentence(finding.message_zh, "。"), amount=amount),
                )
                details = (Text(finding.source, finding.source),)
                yield ReviewFinding("rule-broken", "warning", text, f"{offer.key}/{finding.id}", details=details)


def _sentence(message: str, end: str) -> str:
    return message.rstrip(" .。") + end.rstrip() if message else ""

"""When a plan's money leaves for its sellers: the payments of its lines, day by day, from the plan file alone."""

from collections.abc import Iterator

from optimizer.domain.money import to_micros
from optimizer.domain.offer import Term
from optimizer.domain.plan import Plan, Purchase
from optimizer.verify.check import Checks
from optimizer.verify.context import VerifyFacts, build_context
from optimizer.verify.frame import is_countable
from optimizer.verify.lines import Payment
from optimizer.verify.purchases import check_lines

#: What sellers bill; everything else is the user's own machines, people and power.
SELLERS_KINDS = ("machine", "commitment", "storage", "egress")


def seller_payments(plan: Plan) -> tuple[Payment, ...] | None:
    """All payments to sellers by day number, also beyond the horizon (docs/adr/0004-accounting.md).

    `None` when a line cannot be counted again, or not to what it says that it costs.
    """
    try:
        return tuple(_payments(plan))
    except (ArithmeticError, LookupError, ValueError, TypeError):
        return None


def _payments(plan: Plan) -> Iterator[Payment]:
    context, checks = build_context(plan, VerifyFacts()), Checks()
    if not is_countable(context, checks):
        raise ValueError(plan.start)
    recounts = check_lines(context, checks)
    for index, line in enumerate(plan.purchases):
        if _is_billed(line):
            recount = recounts[index]
            if recount.cost != to_micros(line.cost):
                raise ValueError(line.cost)
            yield from recount.payments


def _is_billed(line: Purchase) -> bool:
    return line.kind in SELLERS_KINDS and line.term is not Term.OWNED

"""Does a line of storage or egress stand at the user's quote for its place, or else at a list price, tax made alike?

A list price of storage or traffic does not say whether tax is in it (docs/adr/0004-accounting.md). A quote travels
with the plan (docs/adr/0078-quotes-of-storage-and-traffic.md): it must be valid on the plan's day, and a line at list
price must not stand where a quote holds.
"""

from decimal import Decimal

from optimizer.domain.plan import Purchase
from optimizer.domain.service import ServiceQuote
from optimizer.domain.units import BYTES_PER_GB, BYTES_PER_GIB
from optimizer.verify.check import Checks
from optimizer.verify.context import Context
from optimizer.verify.prices import tax_factor

#: A rate or factor is a quotient of exact decimals, kept to 28 digits.
RATE_TOLERANCE = Decimal("1e-20")


def check_service_price(context: Context, line: Purchase, where: str, checks: Checks) -> None:
    """Price kind, price, date and tax factor of one line of storage or egress."""
    quote = _quote_of(context, line)
    checks.equal(f"line.price_kind[{where}]", "list" if quote is None else "quote", line.price_kind)
    expected = tax_factor(None if quote is None else quote.tax_included, context.file.tax)
    ok = abs(expected - line.tax_factor) <= RATE_TOLERANCE
    checks.add(f"line.tax_factor[{where}]", ok, expected, line.tax_factor)
    if quote is None:
        return
    price = quote.amount * BYTES_PER_GB / BYTES_PER_GIB if quote.unit in ("gib", "gib_month") else quote.amount
    ok = abs(price - line.unit_price) <= RATE_TOLERANCE * price
    checks.add(f"line.unit_price[{where}]", ok, price, line.unit_price)
    stated = (quote.currency, quote.observed, quote.source)
    checks.equal(f"line.quote[{where}]", stated, (line.price_currency, line.observed, line.source))
    day = context.plan.as_of
    valid = (quote.valid_from or day) <= day <= (quote.valid_to or day)
    checks.add(f"line.price_valid[{where}]", valid, f"{quote.valid_from or ''}..{quote.valid_to or ''}", day)


def _quote_of(context: Context, line: Purchase) -> ServiceQuote | None:
    """The plan's most exact quote for what a line buys where it buys it."""
    stored = "cold-storage" if line.note.startswith("cold:") else "storage"
    kind = "egress" if line.kind == "egress" else stored
    quotes = [quote for quote in context.plan.service_quotes if quote.means(kind, line.provider, line.region)]
    return max(quotes, key=lambda quote: quote.exactness, default=None)

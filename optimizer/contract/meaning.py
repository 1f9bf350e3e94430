"""What vendors' words mean where one thing is written in many ways: tax, first and last day, nothing to pay."""

import re
from dataclasses import dataclass
from datetime import date, timedelta

_RATE = r"(?:\d+(?:\.\d+)?\s*[%％]\s*)?"
_NAME = r"(?:的?(?:增值)?税(?:金|费|价)?)"
_TAX = re.compile(
    rf"(?P<no_zh>不|未)?含\s*{_RATE}{_NAME}|(?P<on_top>税(?:金|费)?另(?:计|付|加|算))|(?P<yes_zh>价税合计)"
    rf"|(?P<no_en>excluding|excl\.?|without|plus|before)\s+{_RATE}(?:vat|tax(?:es)?)\b"
    rf"|(?P<yes_en>including|incl\.?|with)\s+{_RATE}(?:vat|tax(?:es)?)\b"
    r"|\b(?:vat|tax(?:es)?)\s+(?:(?P<no_after>excluded|excl\.?|not included|on top)|(?P<yes_after>included|incl\.?))",
    re.IGNORECASE,
)
_WITHOUT = ("no_zh", "on_top", "no_en", "no_after")
_EMPTY_BRACKETS = re.compile(r"[（(]\s*[）)]")

_DAY = r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*[日号]?"
_ONE_DAY = re.compile(rf"^{_DAY}\s*(?:前|之前|以前)?$")
_SPAN = re.compile(
    rf"^(?:自|从|from)?\s*{_DAY}\s*起?\s*(?:至|到|—+|–+|-+|~|～|/|to|until|through)\s*{_DAY}\s*止?\s*"
    r"[（(]?\s*(?:(?P<out>不含|exclusive|excl\.?)|(?P<in>含|inclusive|incl\.?))?(?:当日|末日|该日)?\s*[）)]?$",
    re.IGNORECASE,
)

_PREFIX = re.compile(
    r"^(?:(?P<cny>人民币|rmb|cny|[¥￥])|(?P<usd>us\$|usd|\$))\s*(?P<number>[\d,，.]+)\s*(?P<rest>\D.*)?$", re.I
)
_MONEY = r"(?:cny|rmb|usd|us\$|元|人民币|美元|[¥￥$])"
_FREE = re.compile(
    rf"^(?:免费|不收费|不另收费|免收|free(?: of charge)?|no charge|{_MONEY}?\s*0+(?:\.0+)?\s*{_MONEY}?(?:\s*/.*)?)$",
    re.IGNORECASE,
)


def tax_included(text: str) -> bool | None:
    """Whether words say that tax is in a price; None where they do not say, or say both."""
    said = {not any(found[name] for name in _WITHOUT) for found in _TAX.finditer(text)}
    return said.pop() if len(said) == 1 else None


def without_tax_words(text: str) -> str:
    """An amount without what is said of its tax, so that the figure can be read."""
    return _EMPTY_BRACKETS.sub("", _TAX.sub("", text)).strip(" ,，;；")


def amount_first(text: str) -> str:
    """An amount with its currency behind it: "￥92/小时" is "92 CNY/小时", "人民币 36.9 万元" is "36.9 万元"."""
    found = _PREFIX.match(text.strip())
    if found is None:
        return text
    rest = found["rest"] or ""
    if found["cny"] and rest.startswith(("元", "万元")):
        return f"{found['number']} {rest}"
    return f"{found['number']} {'CNY' if found['cny'] else 'USD'}{rest}" if rest[:1] in ("", "/") else text


def is_free(text: str) -> bool:
    """Whether words or a zero say that nothing is to be paid; zero is zero in every currency and for every unit."""
    return _FREE.match(text.strip()) is not None


@dataclass(frozen=True, slots=True)
class Span:
    """First and last day as written, and whether the last is said to count (None: not said)."""

    first: date
    last: date
    counts_last: bool | None

    def lasts_until(self, end: date) -> bool:
        """Whether it holds until the day before `end`, as days are written in contracts or with the end named."""
        if self.last == end:
            return True
        return self.counts_last is not False and self.last + timedelta(days=1) == end


def span_of(text: str) -> Span | None:
    """Two days and no more words, such as "2027-01-31 至 2028-01-30"; None for anything else."""
    found = _SPAN.match(text.strip())
    if found is None:
        return None
    numbers = found.groups()[:6]
    first, last = _day(*numbers[:3]), _day(*numbers[3:])
    if first is None or last is None:
        return None
    counts = True if found["in"] else False if found["out"] else None
    return Span(first, last, counts)


def day_of(text: str) -> date | None:
    """One day and no more words."""
    found = _ONE_DAY.match(text.strip())
    return None if found is None else _day(*found.groups())


def _day(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None

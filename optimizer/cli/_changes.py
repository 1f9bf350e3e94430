"""How changes between two catalogs are written: lines for people, plain data for programs."""

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from optimizer.domain.term_words import TERMS
from optimizer.domain.text import Language, Text

if TYPE_CHECKING:
    from optimizer.catalog.changes import Change, Changes, Listed

_KINDS: tuple[tuple[str, Text], ...] = (
    ("gone", Text("gone", "消失")),
    ("new", Text("new", "新增")),
    ("dearer", Text("dearer", "涨价")),
    ("cheaper", Text("cheaper", "降价")),
    ("restated", Text("other unit or currency", "单位或货币改变")),
)
_COUNTS = Text(
    "{gone:,} gone, {new:,} new, {dearer:,} dearer, {cheaper:,} cheaper, {restated:,} in another unit or currency, "
    "{same:,} same.",
    "消失 {gone:,}，新增 {new:,}，涨价 {dearer:,}，降价 {cheaper:,}，单位或货币改变 {restated:,}，不变 {same:,}。",
)
_MORE = Text("… and {count:,} more (--all shows them)", "……另有 {count:,} 条（--all 显示全部）")
_LOST = Text("GPU models that vanish: {models}", "消失的 GPU 型号：{models}")
_PERCENT = Decimal(100)


def changes_as_lines(changes: "Changes", lang: Language, most: int | None = 20) -> list[str]:
    """A count, lost GPU models, then each kind of change with at most `most` lines."""
    lines = [_COUNTS.say(lang, **counts(changes))]
    if changes.models_lost:
        lines.append(_LOST.say(lang, models=", ".join(changes.models_lost)))
    for name, title in _KINDS:
        found: tuple[Change, ...] = getattr(changes, name)
        if found:
            lines.append(f"{title.say(lang)}:")
            lines += [f"  {_line(change, lang)}" for change in _first(found, most)]
            if most is not None and len(found) > most:
                lines.append(f"  {_MORE.say(lang, count=len(found) - most)}")
    return lines


def changes_as_data(changes: "Changes") -> dict[str, Any]:
    """Counts and every change, for `--json`."""
    kinds = {name: [_data(change) for change in getattr(changes, name)] for name, _ in _KINDS}
    return {"same": changes.same, "models_lost": list(changes.models_lost), **kinds}


def counts(changes: "Changes") -> dict[str, int]:
    """How many changes of each kind."""
    return {name: len(getattr(changes, name)) for name, _ in _KINDS} | {"same": changes.same}


def _first(found: "tuple[Change, ...]", most: int | None) -> "Iterable[Change]":
    return found if most is None else found[:most]


def _line(change: "Change", lang: Language) -> str:
    prices = " → ".join(_price(price, lang) for price in (change.before, change.after) if price is not None)
    ratio = change.ratio
    percent = f"  {(ratio - 1) * _PERCENT:+.1f} %" if ratio is not None else ""
    term = TERMS[change.term].say(lang) if change.term in TERMS else change.term
    comma = "，" if lang == "zh" else ", "
    return f"{change.offer}{comma}{term}  {prices}{percent}"


def _price(price: "Listed", lang: Language) -> str:
    from optimizer.reports.numbers import Numbers

    unit = Numbers(lang, price.currency).unit(price.unit)
    return f"{Decimal(price.amount).normalize():f} {price.currency}/{unit}"


def _data(change: "Change") -> dict[str, Any]:
    ratio = change.ratio
    return {
        "offer": change.offer,
        "term": change.term,
        "before": _price_data(change.before),
        "after": _price_data(change.after),
        "ratio": None if ratio is None else f"{ratio:.6f}",
    }


def _price_data(price: "Listed | None") -> dict[str, Any] | None:
    if price is None:
        return None
    return price._asdict() | {"observed": price.observed or None}

"""The comparison on the screen."""

from collections.abc import Iterator, Sequence

from optimizer.contract.answers import VERDICTS, Comparison
from optimizer.contract.document import shown_value
from optimizer.contract.safe import clean
from optimizer.contract.spec import ContractSpec, Item
from optimizer.domain.text import Language, Text

HEAD = Text(
    "{vendor}: {met} met, {not_met} not met, {silent} silent; {verdict}",
    "{vendor}：满足 {met}，不满足 {not_met}，未响应 {silent}；{verdict}",
)
PASSED = Text("every ★ line is met", "★ 条款全部满足")
OPEN = Text("{count} ★ lines are not met or silent", "{count} 条 ★ 条款不满足或未响应")
LINE = Text(
    "  {verdict}  {number}{star} {title}: required {required}; answer {answer}",
    "  {verdict}  {number}{star} {title}：要求 {required}；应答 {answer}",
)


def tell_comparisons(spec: ContractSpec, comparisons: Sequence[Comparison], language: Language) -> str:
    """For each vendor a count, then line by line what was asked, answered and found."""
    items = {(purchase, item.id): item for purchase, item in spec.lines()}
    return "\n".join(line for comparison in comparisons for line in _told(comparison, items, language))


def _told(comparison: Comparison, items: dict[tuple[str | None, str], Item], language: Language) -> Iterator[str]:
    open_lines = sum(line.mandatory and line.verdict != "met" for line in comparison.lines)
    verdict = OPEN.say(language, count=open_lines) if open_lines else PASSED.say(language)
    counts = {name: comparison.count(name) for name in ("met", "not_met", "silent")}
    yield HEAD.say(language, vendor=clean(comparison.vendor), verdict=verdict, **counts)
    for line in comparison.lines:
        item = items[(line.purchase, line.id)]
        reason = line.reason.say(language)
        told = LINE.say(
            language,
            verdict=VERDICTS[line.verdict].say(language),
            number=line.number,
            star=" ★" if line.mandatory else "",
            title=item.title.say(language),
            required=clean(shown_value(item, language)),
            answer=clean(line.shown_answer) or "-",
        )
        yield f"{told} ({clean(reason)})" if reason else told

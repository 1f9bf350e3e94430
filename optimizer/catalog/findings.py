"""What a check of the catalog finds: a code, how bad it is, the row, what stands there and what was expected."""

from dataclasses import dataclass
from enum import StrEnum

from optimizer.domain.offer import Offer, Price
from optimizer.domain.text import Language, Text


class Level(StrEnum):
    """How bad a finding is; errors make `catalog check` exit with 6."""

    ERROR = "error"
    WARN = "warn"
    NOTE = "note"
    EXPLAINED = "explained"


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One thing that is wrong or odd in one row; `found_zh` only where what was found is more than figures."""

    code: str
    level: Level
    row: str
    found: str
    expected: Text
    reason: str = ""
    place: tuple[str, str, str, str] = ("", "", "", "")
    found_zh: str = ""

    def found_in(self, language: Language) -> str:
        """What stands there, in one language."""
        return self.found_zh or self.found if language == "zh" else self.found


CODES: dict[str, Text] = {
    "file": Text("every file of the index can be read", "索引中的每个文件都能读取"),
    "row": Text("term, unit, currency and a price above zero", "租期、单位、货币齐全，价格大于零"),
    "price-key": Text("one plannable price a key", "每个键只有一个可用价格"),
    "price-family": Text("between a third and three times the family's median", "在同系列中位数的三分之一到三倍之间"),
    "price-siblings": Text(
        "within 10 % per GPU of the same machine's other sizes", "与同机型其他规格的单卡价相差不超过 10 %"
    ),
    "term-order": Text("no more than the hours that the term covers", "不高于该租期所含小时数的价格"),
    "memory": Text("the GPU's nominal memory, usable no more than it", "等于该 GPU 标称显存，可用显存不超过标称值"),
    "gpu": Text("a model of the GPU table", "GPU 表中的型号"),
    "fraction": Text("prices of a share of a GPU marked as such", "GPU 切片的价格须有标记"),
    "alias": Text("an alias of a model that the GPU table has, or a reason", "别名指向 GPU 表中的型号，或给出理由"),
    "region": Text("a region of the region table", "地区表中的地区"),
    "capability": Text("the compute capability of the GPU table", "GPU 表中的计算能力"),
    "hardware": Text("the figures of the GPU table", "与 GPU 表的数值一致"),
    "sources": Text("sources that agree", "各来源一致"),
    "old": Text("prices younger than the limit", "价格未超过时效"),
    "undated": Text("prices with a date", "价格有日期"),
    "explained": Text("an explanation that still explains a row", "仍然对应某一行的解释"),
}


def finding_of(code: str, level: Level, offer: Offer, price: Price | None, found: str | Text) -> CheckFinding:
    """A finding about an offer or one of its prices."""
    english, chinese = (found, "") if isinstance(found, str) else found
    term = price.term.value if price else ""
    place = (offer.provider, offer.region, offer.instance_type, term)
    return CheckFinding(code, level, f"{offer.key} {term}".strip(), english, CODES[code], place=place, found_zh=chinese)

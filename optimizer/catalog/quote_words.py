"""Chinese words of `quotes.csv` that mean one thing: columns, terms, units, tax; and days as spreadsheets write them.

What could mean two things (a date that begins with the day or the month, 元 in a unit) is not here and so refused.
"""

import re
from datetime import date

from optimizer.domain.offer import PriceUnit, Term
from optimizer.domain.term_words import TERMS

#: Words of a header to the columns. 折扣 is not here: 八折 and 20 % off are both called so.
COLUMNS: dict[str, str] = {
    "供应商": "provider",
    "厂商": "provider",
    "地域": "region",
    "地区": "region",
    "区域": "region",
    "机型": "instance_type",
    "租期": "term",
    "计费方式": "term",
    "价格": "price",
    "单价": "price",
    "计价单位": "price_unit",
    "单位": "price_unit",
    "币种": "currency",
    "含税": "tax_included",
    "是否含税": "tax_included",
    "生效日期": "valid_from",
    "起始日期": "valid_from",
    "失效日期": "valid_to",
    "截止日期": "valid_to",
    "备注": "note",
    "gpu型号": "gpu_model",
    "gpu数量": "gpu_count",
    "卡数": "gpu_count",
    "国家": "country",
}
YES_NO: dict[str, bool] = {
    "yes": True,
    "true": True,
    "是": True,
    "含税": True,
    "含": True,
    "no": False,
    "false": False,
    "否": False,
    "不含税": False,
    "未税": False,
    "不含": False,
}
#: A price for one GPU: multiplied by the GPUs of the machine.
PER_GPU = "gpu_"
GPU_UNITS: dict[str, PriceUnit] = {
    f"{PER_GPU}{unit.value}": unit
    for unit in (PriceUnit.HOUR, PriceUnit.DAY, PriceUnit.WEEK, PriceUnit.MONTH, PriceUnit.YEAR)
}
_TIMES: dict[str, PriceUnit] = {
    "小时": PriceUnit.HOUR,
    "时": PriceUnit.HOUR,
    "天": PriceUnit.DAY,
    "日": PriceUnit.DAY,
    "周": PriceUnit.WEEK,
    "月": PriceUnit.MONTH,
    "个月": PriceUnit.MONTH,
    "年": PriceUnit.YEAR,
}
UNITS: dict[str, str] = {
    **{word: unit.value for word, unit in _TIMES.items()},
    **{f"台{word}": unit.value for word, unit in _TIMES.items()},
    **{f"卡{word}": f"{PER_GPU}{unit.value}" for word, unit in _TIMES.items()},
    "期": PriceUnit.TERM.value,
}
TERM_WORDS: dict[str, str] = {
    **{text.zh.replace(" ", ""): Term(term).value for term, text in TERMS.items() if term != Term.OWNED},
    "按需": Term.ON_DEMAND.value,
    "竞价": Term.SPOT.value,
}
_FILLER = re.compile(r"[\s/·每]+")
_DAY = re.compile(r"^(\d{4})(?:([-/.])(\d{1,2})\2(\d{1,2})|年(\d{1,2})月(\d{1,2})日)$")


def column_of(name: str) -> str:
    """A column by its name in English or Chinese; any other name as it is."""
    folded = name.strip().lower()
    return COLUMNS.get(folded.replace(" ", ""), folded)


def term_of(text: str) -> str:
    """A term by its Chinese words; any other text as it is."""
    return TERM_WORDS.get(text.replace(" ", ""), text)


def unit_of(text: str) -> str:
    """A unit by its Chinese words, such as 月, 台/月 and 卡·小时; any other text as it is."""
    return UNITS.get(_FILLER.sub("", text), text)


def day_of(text: str) -> date | None:
    """A day with the year first: 2026-12-01, 2026/12/1, 2026.12.1, 2026年12月1日; None for anything else."""
    found = _DAY.match(text)
    if found is None:
        return None
    year, _, month, day, chinese_month, chinese_day = found.groups()
    try:
        return date(int(year), int(month or chinese_month), int(day or chinese_day))
    except ValueError:
        return None

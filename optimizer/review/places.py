"""Region names as bills write them for people: the city in them, as the catalog's canonical region."""

import re

#: Chinese names of the cities that providers name their regions after, and the catalog's canonical region of each.
CITIES = {
    "北京": "cn-beijing",
    "上海": "cn-shanghai",
    "广州": "cn-guangzhou",
    "深圳": "cn-shenzhen",
    "杭州": "cn-hangzhou",
    "南京": "cn-nanjing",
    "成都": "cn-chengdu",
    "重庆": "cn-chongqing",
    "青岛": "cn-qingdao",
    "张家口": "cn-zhangjiakou",
    "呼和浩特": "cn-huhehaote",
    "乌兰察布": "cn-wulanchabu",
    "河源": "cn-heyuan",
    "福州": "cn-fuzhou",
    "清远": "cn-qingyuan",
    "贵阳": "cn-guiyang",
    "香港": "hk-hong-kong",
    "新加坡": "sg-singapore",
    "东京": "jp-tokyo",
    "首尔": "kr-seoul",
    "曼谷": "th-bangkok",
    "雅加达": "id-jakarta",
    "孟买": "in-mumbai",
    "吉隆坡": "my-kuala-lumpur",
    "马尼拉": "ph-manila",
    "法兰克福": "de-frankfurt",
    "伦敦": "gb-london",
}
#: Clouds apart, with machines and prices of their own, stand in the same cities.
_APART = re.compile(r"金融|政务|专区|financ|gov", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"[（(]([^（）()]+)[）)]")


#: The region of offers that a provider sells at one price in all of mainland China.
MAINLAND = "mainland"
_MAINLAND_CITIES = frozenset(place.split("-", 1)[1] for place in CITIES.values() if place.startswith("cn-"))


def is_place(region: str, canonical: str | None) -> bool:
    """Whether a region's name in a bill, such as 华东1（杭州）, 广州 or China (Hangzhou), means a canonical region."""
    if canonical is None or "-" not in canonical or _APART.search(region):
        return False
    name, in_brackets = _name(region)
    if name in CITIES:
        return CITIES[name] == canonical
    return in_brackets and _letters(name) == _letters(canonical.split("-", 1)[1])


def is_mainland(region: str) -> bool:
    """Whether a region is a city of mainland China, by its name or its code (ap-guangzhou, cn-hangzhou)."""
    if _APART.search(region):
        return False
    name, in_brackets = _name(region)
    if name in CITIES:
        return CITIES[name].startswith("cn-")
    word = _letters(name) if in_brackets else region.casefold().rsplit("-", 1)[-1]
    return word in _MAINLAND_CITIES


def _name(region: str) -> tuple[str, bool]:
    found = _IN_BRACKETS.search(region)
    return (found[1] if found else region).strip().removeprefix("中国"), found is not None


def _letters(text: str) -> str:
    return "".join(mark for mark in text.casefold() if mark.isalpha())

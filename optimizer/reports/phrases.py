"""Fixed phrases that a plan file holds in English, told in Chinese.

A plan file has one language for what counts and names things (filters, notes, kinds of lines); names of sellers,
products, GPUs and rules stay as they are written, because a buyer must find them again. A phrase that is not here is
shown as it stands.
"""

import re

_NAME = r"(?P<name>.+?)"
#: Patterns of whole texts and what they say; groups keep their values.
_PHRASES: tuple[tuple[str, str], ...] = (
    # filters and what they removed
    (r"fraction of a GPU \(no-shrink, D1\)", "不足一整块 GPU（no-shrink，D1）"),
    (
        r"no price that may be planned on \(none published, or superseded, a floor, retired, expired, a market quote\)",
        "没有可用于规划的价格（未公布，或已被取代、仅为底价、已下架、已过期、属市场报价）",
    ),
    (
        r"no price seen in the last (?P<days>\d+) days \(--exclude-old; undated ones as well\)",
        "最近 {days} 天内没有见到价格（--exclude-old；无日期者同样排除）",
    ),
    (r"GPU model unknown", "未知的 GPU 型号"),
    (r"no exchange rate for (?P<currency>\w+)", "没有 {currency} 的汇率"),
    (rf"{_NAME}: countries (?P<what>.+)", "{name}：国家 {what}"),
    (rf"{_NAME}: providers (?P<what>.+)", "{name}：供应商 {what}"),
    (rf"{_NAME}: regions (?P<what>.+)", "{name}：地域 {what}"),
    (rf"{_NAME}: gpus\.(?P<field>allow|deny) (?P<what>.+)", "{name}：gpus.{field} {what}"),
    (rf"{_NAME}: does not fit in memory", "{name}：显存装不下"),
    (rf"{_NAME}: rule (?P<what>[\w-]+)", "{name}：规则 {what}"),
    (rf"{_NAME}: too slow for its days or hours", "{name}：在规定的天数或小时内跑不完"),
    # notes
    (r"nothing can run (?P<name>.+)", "没有机器能运行 {name}"),
    (
        rf"{_NAME}: the measured run moves predictions on (?P<what>.+) by (?P<share>[+-]?\d+) %",
        "{name}：实测使 {what} 的预测变动 {share}%",
    ),
    (rf"{_NAME}: sold out when the provider was asked \(undated\)", "{name}：询问供应商时无货（无日期）"),
    (rf"{_NAME}: sold out when the provider was asked \((?P<day>.+)\)", "{name}：询问供应商时无货（{day}）"),
    (
        rf"{_NAME}: the quote for (?P<what>.+) ended on (?P<day>.+): not planned on",
        "{name}：{what} 的报价已于 {day} 到期，未用于规划",
    ),
    (
        rf"{_NAME}: the quote for (?P<what>.+) begins on (?P<day>.+): not planned on",
        "{name}：{what} 的报价自 {day} 起生效，未用于规划",
    ),
    (
        rf"{_NAME}: (?P<count>\d+) savings-plan prices are not planned on; ask for a commitment's price",
        "{name}：{count} 条节省计划价格未用于规划；请询问承诺消费的价格",
    ),
    (
        rf"{_NAME}: (?P<size>[\d,]+) GB on (?P<what>.+): the first tier's price is counted on all of it; "
        r"what lies above (?P<limit>[\d,]+) GB may cost less",
        "{name}：{what} 上的 {size} GB 全部按首档价格计；超出 {limit} GB 的部分可能更便宜",
    ),
    # lines without a price
    (rf"{_NAME}: storage on (?P<what>.+)", "{name}：{what} 的存储"),
    (rf"{_NAME}: cold storage on (?P<what>.+)", "{name}：{what} 的冷存储"),
    (rf"{_NAME}: egress on (?P<what>.+)", "{name}：{what} 的出网流量"),
    # descriptions of lines
    (r"hot: quoted storage", "热数据：按报价的存储"),
    (r"cold: quoted cold storage", "冷数据：按报价的冷存储"),
    (r"shared data set (?P<name>[^:]+): quoted storage", "共用数据集 {name}：按报价的存储"),
    (r"hot: (?P<what>.+)", "热数据：{what}"),
    (r"cold: (?P<what>.+)", "冷数据：{what}"),
    (r"shared data set (?P<name>[^:]+): (?P<what>.+)", "共用数据集 {name}：{what}"),
    (r"internet egress", "公网出口"),
    (r"idle", "空闲"),
    (r"running", "运行"),
    # the naive plan
    (r"no 80 GB data-center GPU by the hour fits", "没有按量出售且装得下的 80 GB 数据中心 GPU"),
)
_COMPILED = tuple((re.compile(pattern), chinese) for pattern, chinese in _PHRASES)


def in_chinese(text: str) -> str:
    """A fixed phrase in Chinese; any other text as it stands."""
    for pattern, chinese in _COMPILED:
        found = pattern.fullmatch(text)
        if found is not None:
            return chinese.format(**found.groupdict())
    return text

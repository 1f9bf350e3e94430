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
    (rf"{_NAME}: gpus\.allow (?P<what>.+)", "{name}：只用 GPU {what}"),
    (rf"{_NAME}: gpus\.deny (?P<what>.+)", "{name}：不用 GPU {what}"),
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
        rf"{_NAME}: (?P<what>.+) ended on (?P<day>.+), before the plan begins on (?P<start>.+): not counted",
        "{name}：{what} 已于 {day} 到期，早于方案起始日 {start}，未计入",
    ),
    (
        rf"{_NAME}: (?P<what>.+) begins on (?P<day>.+), after the plan ends: not counted",
        "{name}：{what} 自 {day} 起，晚于方案结束，未计入",
    ),
    (
        rf"{_NAME}: the quote for (?P<what>.+) names no country and is not used: "
        r"every workload asks for countries; fill in the column country, such as CN",
        "{name}：{what} 的报价未写国家，未被使用：所有任务都限定了国家；请填写 country 列，如 CN",
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
    (
        rf"{_NAME}: no tokens in month (?P<months>[\d, ]+): nothing runs and nothing is kept in storage there",
        "{name}：第 {months} 月无 token：当月不运行，也不保留存储",
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
    (
        r"savings plan: committed money an hour x 8,760 hours a year, in equal monthly parts",
        "节省计划：每小时承诺金额 × 每年 8,760 小时，按月等额支付",
    ),
    (r"idle", "空闲"),
    (r"running", "运行"),
    # what a prediction assumes
    (r"PCIe 3\.0 x16 to the host \(not stated\)", "到主机的链路按 PCIe 3.0 x16 计（未标明）"),
    (
        r"GPUs reach each other over PCIe \(link or its rate not stated\)",
        "GPU 之间按 PCIe 互联计（互联或其速率未标明）",
    ),
    (
        r"(?P<rate>[\d.]+) Gbit/s Ethernet between nodes \(rate not stated\)",
        "节点间按 {rate} Gbit/s 以太网计（速率未标明）",
    ),
    (r"no RDMA between nodes \(not stated\)", "节点间按无 RDMA 计（未标明）"),
    (r"global batch of (?P<tokens>[\d,]+) tokens \(not stated\)", "全局批量按 {tokens} token 计（未标明）"),
    (r"calibrated by the measured run: (?P<share>[+-]?\d+) %", "已按实测校准：{share}%"),
    (
        r"assumed: Llama-family architecture for (?P<size>\S+) B parameters "
        r"\((?P<layers>\d+) layers of (?P<hidden>\d+)\)",
        "按 Llama 系结构估计：{size} B 参数（{layers} 层，每层 {hidden}）",
    ),
    (r"assumed: (?P<what>.+)", "假定：{what}"),
    # what a future runs
    (r"(?P<what>\d+ × .+), (?P<count>\d+) by the hour", "{what}，其中 {count} 台按量"),
    (r"(?P<what>\d+ × .+), spot", "{what}，抢占式"),
    # why prices of a provider are not taken
    (
        r"(?P<lost>\d+) of (?P<rows>\d+) prices would be lost, and every (?P<what>.+); give --accept to take it, "
        r"the previous snapshot stays",
        "{rows} 个价格中将丢失 {lost} 个，且不再有 {what}；加 --accept 才采用，现沿用上一份快照",
    ),
    (
        r"(?P<lost>\d+) of (?P<rows>\d+) prices would be lost; give --accept to take it, the previous snapshot stays",
        "{rows} 个价格中将丢失 {lost} 个；加 --accept 才采用，现沿用上一份快照",
    ),
    (rf"{_NAME}: no end within (?P<seconds>\d+) s", "{name}：{seconds} 秒内未结束"),
    (
        rf"{_NAME}: (?P<what>.+) \(a defect of the adapter; please report it\)",
        "{name}：{what}（适配器的缺陷，请报告）",
    ),
    (r"the same machine comes twice with different figures", "同一机器出现两次且数值不同"),
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

"""What the answers say, in both languages with the same placeholders."""

from optimizer.domain.text import Text

VERDICTS: dict[str, Text] = {
    "in_plan": Text("{target} is in the plan: {plan}.", "{target} 就在方案中：{plan}。"),
    "dearer": Text(
        "The best plan that uses {target} costs {total}, {extra} more than the plan: {plan}.",
        "使用 {target} 的最优方案为 {total}，比本方案多 {extra}：{plan}。",
    ),
    "same_cost": Text(
        "The best plan that uses {target} costs the same; it lost the tie on {level}: {plan}.",
        "使用 {target} 的最优方案费用相同，平局时因「{level}」落选：{plan}。",
    ),
    "incomplete": Text(
        "The best plan that uses {target} costs at least {total}, and a required price is unknown ({missing}); plans "
        "whose every line has a price come first: {plan}.",
        "使用 {target} 的最优方案至少 {total}，且缺少必需的价格（{missing}）；每一项都有价格的方案优先：{plan}。",
    ),
    "rule": Text(
        "{offer} fails {count} of the rules for {work}; its nearest configuration is {nodes} machine(s) with {gpus} "
        "GPU(s) each.",
        "{offer} 不满足 {work} 的 {count} 条规则；最接近的配置为 {nodes} 台、每台 {gpus} 块 GPU。",
    ),
    "unknown_fact": Text(
        "{offer} has {count} fact(s) that nobody states, and --unknown exclude leaves it out for {work} "
        "({nodes} machine(s), {gpus} GPU(s) each).",
        "{offer} 有 {count} 项无人公布的事实，--unknown exclude 因此为 {work} 将其排除"
        "（{nodes} 台、每台 {gpus} 块 GPU）。",
    ),
    "no_fit": Text(
        "{work} does not fit on {offer}: {breaks}, {needed} needed of {usable} usable per GPU on {nodes} machine(s). "
        "Smallest change: {change}",
        "{work} 放不进 {offer}：{breaks}，{nodes} 台时每块 GPU 需 {needed}，可用 {usable}。最小改动：{change}",
    ),
    "filtered": Text("{offer} is left out by a filter: {filter}.", "{offer} 被筛选条件排除：{filter}。"),
    "no_price": Text(
        "{offer} has no price that may be planned on: {prices}.", "{offer} 没有可用于规划的价格：{prices}。"
    ),
    "no_rate": Text(
        "There is no exchange rate for {filter}, the currency of {offer}.", "缺少 {offer} 的币种 {filter} 的汇率。"
    ),
    "not_sold": Text(
        "{target}: no price row in the catalog; it is not sold so.", "{target}：目录中没有价格行，未以此方式出售。"
    ),
    "fraction": Text(
        "{offer} is a fraction of a GPU; training is not planned on fractions.",
        "{offer} 是分数 GPU；训练不规划在分数卡上。",
    ),
    "gpu_unknown": Text("The GPU of {offer} is not in the GPU table.", "{offer} 的 GPU 不在 GPU 表中。"),
    "not_interruptible": Text(
        "{offer} is on spot here, and {work} may not be interrupted (interruptible: true allows it; steady work never "
        "runs on spot).",
        "{offer} 在此只按抢占式出售，而 {work} 不可中断（interruptible: true 可放开；常驻工作不用抢占式）。",
    ),
    "spot_rate_unknown": Text(
        "{offer}: nobody states how often spot is taken away; give spot.interruptions_per_hour for {work}.",
        "{offer}：无人公布抢占频率；请为 {work} 填写 spot.interruptions_per_hour。",
    ),
    "speed_unknown": Text(
        "{work} is given in hours of another GPU; how fast {offer} would be is not known.",
        "{work} 以另一种 GPU 的小时数给出；{offer} 的速度未知。",
    ),
    "min_gpus": Text(
        "{offer} does not reach min_gpus of {work} within max_nodes.",
        "{offer} 在 max_nodes 内达不到 {work} 的 min_gpus。",
    ),
    "too_slow": Text(
        "{offer} is too slow for {work}: {run_hours} on its fastest configuration ({nodes} machine(s)), {hours_per_day} "
        "a day allowed.",
        "{offer} 对 {work} 太慢：最快配置（{nodes} 台）需 {run_hours}，每天允许 {hours_per_day}。",
    ),
    "too_slow_steady": Text(
        "{offer} is too slow for {work}: {speed} on its fastest configuration ({nodes} machine(s)), not enough for the "
        "month's tokens in {hours_per_day} a day.",
        "{offer} 对 {work} 太慢：最快配置（{nodes} 台）为 {speed}，每天 {hours_per_day} 完不成当月 token。",
    ),
    "no_plan": Text(
        "{offer} could run {work}, but no whole plan uses it within the file's limits (quotas, deadlines, lead time).",
        "{offer} 能运行 {work}，但在文件的限制（配额、期限、交付周期）内没有使用它的完整方案。",
    ),
    "over_budget": Text(
        "The best plan that uses {target} costs {total}, {extra} more than the plan and above the file's limits on money: "
        "{plan}.",
        "使用 {target} 的最优方案为 {total}，比本方案多 {extra}，超出文件的资金限制：{plan}。",
    ),
}
LEVELS: dict[str, Text] = {
    "below_strict": Text("rules below their strict figure", "低于严格值的规则数"),
    "unknowns": Text("facts to confirm", "待确认事项"),
    "unit_days": Text("days bound to new rents", "新租约的天数"),
    "node_days": Text("machine-days", "机器天数"),
    "providers": Text("number of providers", "厂商数"),
    "generation": Text("maturity of the GPU's generation", "GPU 代次的成熟度"),
    "lexical": Text("the order of names (all else alike)", "名称顺序（其余全同）"),
}
RULE = Text("{id}: {measured} against {required} ({source})", "{id}：{measured}，要求 {required}（{source}）")
MATCHED = Text(
    "{count} offers match; by what decides about them: {counts}", "共 {count} 个报价匹配，按决定因素：{counts}"
)
CONDITIONAL = Text("To confirm before that plan: {rules}", "采用该方案前需确认：{rules}")
CATALOG_MOVED = Text(
    "On today's catalog the plan itself costs {now} (the file says {then}); the answer compares on today's catalog.",
    "按今天的目录，本方案为 {now}（文件中为 {then}）；此处按今天的目录比较。",
)
PRICE_ROW = Text("{term} {kind}: {reason}", "{term} {kind}：{reason}")
MARKET_ONLY = Text("market quote, --market plans on it", "市场行情，--market 可用于规划")
NOT_VALID = Text("not valid on {day}", "{day} 不在有效期")

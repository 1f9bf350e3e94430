"""What the answers say, in both languages with the same placeholders."""

from optimizer.domain.offer import Term
from optimizer.domain.term_words import BARE_METAL, TAKEN, TERMS
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
    "incomplete_both": Text(
        "The best plan that uses {target} costs at least {total}; counting known prices alone that is {extra} more "
        "than the plan, whose own prices are not all known either: {plan}.",
        "使用 {target} 的最优方案至少 {total}；只计已知价格比本方案多 {extra}，而本方案自身也有未知价格：{plan}。",
    ),
    "rule": Text(
        "{offer} fails {rules} for {work}; its nearest configuration is {machines} with {gpus} each.",
        "{offer} 不满足 {work} 的 {rules}；最接近的配置为 {machines}、每台 {gpus}。",
    ),
    "unknown_fact": Text(
        "{offer} has {facts} that nobody states, and --unknown exclude leaves it out for {work} ({machines}, {gpus} "
        "each).",
        "{offer} 有 {facts}无人公布，--unknown exclude 因此为 {work} 将其排除（{machines}、每台 {gpus}）。",
    ),
    "no_fit": Text(
        "{work} does not fit on {offer}: {breaks}, {needed} needed of {usable} usable per GPU on {machines}. "
        "Smallest change: {change}",
        "{work} 放不进 {offer}：{breaks}，{machines}时每块 GPU 需 {needed}，可用 {usable}。最小改动：{change}",
    ),
    "no_layout": Text(
        "No layout of {work} divides the GPUs of {offer} ({machines}). Smallest change: {change}",
        "{work} 没有能划分 {offer} 各 GPU 的并行方式（{machines}）。最小改动：{change}",
    ),
    "precision_unknown": Text(
        "How fast {offer} would be for {work} is not known, so it is not planned on. Smallest change: {change}",
        "{offer} 运行 {work} 的速度未知，因此不用于规划。最小改动：{change}",
    ),
    "filtered": Text("{offer} is left out by a filter: {filter}.", "{offer} 被筛选条件排除：{filter}。"),
    "no_price": Text(
        "{offer} has no price that may be planned on: {prices}.", "{offer} 没有可用于规划的价格：{prices}。"
    ),
    "no_rate": Text(
        "There is no exchange rate for {filter}, the currency of {offer}.", "缺少 {offer} 的币种 {filter} 的汇率。"
    ),
    "not_sold": Text(
        "{target}: no price of it in the catalog; whether it is sold so is not known.",
        "{target}：目录中没有其价格，是否以此方式出售未知。",
    ),
    "price_unknown": Text(
        "{target}: the catalog names the machine and no price of it; what it costs is not known.",
        "{target}：目录中有该机器而没有其价格，费用未知。",
    ),
    "not_sold_term": Text(
        "{target}: no price row in the catalog on this term. As long and sold: {terms}; ask `optimize why` for these.",
        "{target}：目录中没有此租期的价格行。同样长度且有售：{terms}；可用 `optimize why` 查询。",
    ),
    "fraction": Text(
        "{offer} is a fraction of a GPU; training is not planned on fractions.",
        "{offer} 是分数 GPU；训练不规划在分数卡上。",
    ),
    "gpu_unknown": Text("The GPU of {offer} is not in the GPU table.", "{offer} 的 GPU 不在 GPU 表中。"),
    "not_interruptible": Text(
        "{offer} is on spot here, and {work} may not be interrupted (interruptible: true allows it; steady work never "
        "runs on spot).",
        "{offer} 在此只按抢占式出售，而 {work} 不可中断（interruptible: true 可放开；常驻任务不用抢占式）。",
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
        "{offer} is too slow for {work}: {run_hours} on its fastest configuration ({machines}), "
        "{hours_per_day} a day allowed.",
        "{offer} 对 {work} 太慢：最快配置（{machines}）需 {run_hours}，每天允许 {hours_per_day}。",
    ),
    "too_slow_steady": Text(
        "{offer} is too slow for {work}: {speed} on its fastest configuration ({machines}), not enough for the "
        "month's tokens in {hours_per_day} a day.",
        "{offer} 对 {work} 太慢：最快配置（{machines}）为 {speed}，每天 {hours_per_day} 完不成当月 token。",
    ),
    "no_plan": Text(
        "{offer} could run {work}, but no whole plan uses it within the file's limits (quotas, deadlines, lead time).",
        "{offer} 能运行 {work}，但在文件的限制（配额、期限、交付周期）内没有使用它的完整方案。",
    ),
    "over_budget": Text(
        "The best plan that uses {target} costs {total}, {extra} more than the plan and {over}: {plan}.",
        "使用 {target} 的最优方案为 {total}，比本方案多 {extra}，{over}：{plan}。",
    ),
}
#: By how much a plan is above a limit on cash of the file.
OVER: dict[str, Text] = {
    "budget": Text("{amount} over your budget", "超出预算 {amount}"),
    "monthly_budget": Text("{amount} over your monthly budget in its dearest month", "最贵的月份超出月预算 {amount}"),
}
OVER_LIMITS = Text("above the file's limits on money", "超出文件的资金限制")
UNPRICED = Text(
    "Beside it, not to be compared: a plan that uses {target} at {total} or more, where a required price is unknown "
    "({missing}): {plan}.",
    "另有一个不可与之比较的方案：使用 {target}，至少 {total}，且缺少必需的价格（{missing}）：{plan}。",
)
LEVELS: dict[str, Text] = {
    "below_strict": Text("rules below their strict figure", "低于严格值的规则数"),
    "unknowns": Text("facts to confirm", "待确认事项"),
    "unit_days": Text("days bound to new rents", "新租约的天数"),
    "node_days": Text("machine-days", "机器天数"),
    "providers": Text("number of providers", "厂商数"),
    "generation": Text("maturity of the GPU's generation", "GPU 代次的成熟度"),
    "lexical": Text("the order of names (all else alike)", "名称顺序（其余全同）"),
}
#: What of a model does not fit.
BREAKS: dict[str, Text] = {
    "weights": Text("weights", "权重"),
    "gradients": Text("gradients", "梯度"),
    "optimizer": Text("optimizer states", "优化器状态"),
    "activations": Text("activations", "激活"),
    "logits": Text("logits", "logits"),
    "temporary": Text("temporary copies", "临时副本"),
}
#: What decides about an offer, as the list of matches counts it.
CAUSES: dict[str, Text] = {
    "fraction": Text("fractions of a GPU", "不足整卡"),
    "gpu_unknown": Text("GPU not on record", "GPU 不在表中"),
    "no_price": Text("no price that may be planned on", "没有可用于规划的价格"),
    "no_rate": Text("no exchange rate", "没有汇率"),
    "not_sold": Text("no price on this term", "没有此租期的价格"),
    "price_unknown": Text("price not known", "价格未知"),
    "filtered": Text("left out by a filter", "被筛选排除"),
    "not_interruptible": Text("on spot only", "只按抢占式出售"),
    "spot_rate_unknown": Text("spot, its rate unknown", "抢占频率未知"),
    "no_fit": Text("too little memory", "显存不够"),
    "no_layout": Text("no layout divides the GPUs", "没有可用的并行划分"),
    "precision_unknown": Text("speed in this precision unknown", "该精度下的速度未知"),
    "speed_unknown": Text("speed unknown", "速度未知"),
    "min_gpus": Text("too few GPUs", "GPU 数不足"),
    "rule": Text("fails rules", "不满足规则"),
    "unknown_fact": Text("a fact that nobody states", "有无人公布的事实"),
    "too_slow": Text("too slow", "太慢"),
    "usable": Text("usable", "可用"),
}
FAILS_RULE = Text("fails rule {rule}", "不满足规则 {rule}")
FAILS_RULES = Text("fails {count} rules", "不满足 {count} 条规则")
COUNTED = Text("{what} {count:,}", "{what} {count:,}")
OF_FILTER = Text("{cause} ({filter})", "{cause}（{filter}）")
MISSING = Text(
    "Unknown and not counted: {missing}; so {total} is the least that plan can cost.",
    "未知且未计入：{missing}；因此该方案的费用至少为 {total}。",
)
PLAN_MISSING = Text(
    "Unknown and not counted in the plan itself: {missing}; it costs at least {total}.",
    "本方案自身未知且未计入：{missing}；其费用至少为 {total}。",
)
WHOLE_WORK = Text(
    "To use {target} means here that one workload runs on it from its first day to its last.",
    "此处使用 {target} 指有一个任务自始至终在其上运行。",
)
NOT_PROVEN = Text(
    "That is the best plan found in time; one that uses {target} and is up to {gap} cheaper may exist (--time-limit "
    "allows more).",
    "这是时限内找到的最优方案；可能存在使用 {target}、最多便宜 {gap} 的方案（可用 --time-limit 延长）。",
)
STILL_OPEN = Text(
    "Not settled in time: whether a plan that uses {target} exists that has every price and keeps the file's limits on "
    "money (--time-limit allows more).",
    "时限内未能确定：是否存在使用 {target}、价格齐全且不超出文件资金限制的方案（可用 --time-limit 延长）。",
)
RULE = Text("{id}: {measured} against {required} ({source})", "{id}：{measured}，要求 {required}（{source}）")
MATCHED = Text("{count:,} offers match: {counts}.", "共 {count:,} 个报价匹配：{counts}。")
CONDITIONAL = Text("To confirm before that plan: {rules}", "采用该方案前需确认：{rules}")
CATALOG_MOVED = Text(
    "On today's catalog the plan itself costs {now} (the file says {then}); the answer compares on today's catalog.",
    "按今天的目录，本方案为 {now}（文件中为 {then}）；此处按今天的目录比较。",
)
PRICE_ROW = Text("{term}, {kind}: {reason}", "{term}、{kind}：{reason}")
MARKET_ONLY = Text("market quote, --market plans on it", "市场行情，--market 可用于规划")
TOO_OLD = Text("older than {days} days or undated (--exclude-old)", "超过 {days} 天或无日期（--exclude-old）")
NOT_VALID = Text("not valid on {day}", "{day} 不在有效期")
#: Ways to pay, in the words of the plan's screen.
NAMES: dict[str, Text] = {**TAKEN, Term.OWNED: TERMS[Term.OWNED], "bare_metal": BARE_METAL}
BREAK_EVEN = Text(
    "Cheapest way to pay for the machines of {work}, by hours a day and days in a row.",
    "{work} 的机器：按每天小时数与连续天数，最便宜的付费方式。",
)
REFERENCE = Text(
    "Hours are those of {machine}; other configurations do the same work in their own time. Machines only, no storage.",
    "小时数按 {machine} 计；其他配置以各自的速度完成同样的工作。只计机器，不含存储。",
)
DOCUMENT_POINT = Text(
    "The document's point, {days} days at {hours} h a day: cheapest is {name} at {cost} ({machine}).",
    "文档所述的点，{days} 天、每天 {hours} 小时：最便宜的是{name}，{cost}（{machine}）。",
)
TRIGGER = Text(
    "Two weeks at ten hours a day is a trigger for looking at long-term or owned supply, not a payback: {price} would "
    "be paid back in its {machine_hours} h only against a rent of {rent} an hour.",
    "两周、每天 10 小时是考虑长期租用或自有的触发点，不是回本点："
    "要在这 {machine_hours} 小时内收回 {price}，租价须达每小时 {rent}。",
)
TRIGGER_ALONE = Text(
    "Two weeks at ten hours a day is a trigger for looking at long-term or owned supply, not a payback.",
    "两周、每天 10 小时是考虑长期租用或自有的触发点，不是回本点。",
)
PAYBACK = Text(
    "Owned {server} at {hours} h a day: {months} months until {price} is paid back, against {rent} a month by the hour "
    "({own} a month to run; no residual value, no interest).",
    "自有 {server}，每天 {hours} 小时：相对按量每月 {rent}，{months} 个月收回 {price}"
    "（自身运行每月 {own}；不计残值与利息）。",
)
PAYBACK_NEVER = Text(
    "Owned {server} at {hours} h a day: never paid back; {rent} a month by the hour is no more than {own} to run it.",
    "自有 {server}，每天 {hours} 小时：永不回本；按量每月 {rent}，不高于自身运行的 {own}。",
)
OWNED_RESALE = Text(
    "Owned wins on {days} only if the machine then sells at {percent} of its price, as residual_by_month says; "
    "worth nothing in the end, it wins {first}.",
    "连续 {days}时自有最便宜，前提是届时能按 residual_by_month 以原价的 {percent} 卖出；若不计残值，则{first}。",
)
ORDERED_BEFORE = Text(
    "Owned {server} is ordered {days} before the first day of use (its lead time) and ages from then on; for work that "
    "must begin sooner it cannot be had.",
    "自有 {server} 须在首个使用日之前 {days}（交付周期）下单，折旧自下单起算；更早开始的工作用不上它。",
)
OWNED_FIRST = Text("first on {days} at 24 h a day", "每天 24 小时时从连续 {days}起才最便宜")
OWNED_NEVER = Text("nowhere within five years", "五年内都不是最便宜")
NO_OWNED = Text(
    "No server to buy is given (owned.may_buy), so owning is not compared.",
    "文件未给出可购买的服务器（owned.may_buy），故不比较自有。",
)
OWNED_LEFT_OUT = Text(
    "The rules or memory leave out every server that may be bought; `optimize why owned --plan plan.json` says which.",
    "可购买的服务器都因规则或显存被排除；`optimize why owned --plan plan.json` 说明原因。",
)
OWNED_NO_PAYBACK = Text(
    "Payback is told of one server that does the work alone at the hours compared; here it takes several, or longer.",
    "回本期只针对单台即可按所比较小时数完成工作的服务器；此处需要多台，或单台较慢。",
)
SPAN_DAYS = Text("{days} d", "{days} 天")
SPAN_MONTHS = Text("{months} mo", "{months} 个月")
WINS = Text("{name} {hours} h", "{name} {hours} 小时")
PRICE_AGES = Text(
    "Prices that win somewhere: {prices}; older than {limit}: {old}; undated: {undated}; oldest date: {oldest}.",
    "在某处最便宜的价格：{prices} 个；超过 {limit}：{old} 个；无日期：{undated} 个；最早日期：{oldest}。",
)
CROSSING_HOURS = Text(
    "on {days}: from {hours} h a day ({total} h in all), {after} instead of {before}",
    "连续 {days}：每天 {hours} 小时（共 {total} 小时）起，由{before}改为{after}",
)
CROSSING_DAYS = Text("at {hours} h a day: {before}; {changes}", "每天 {hours} 小时：先是{before}；{changes}")
DAY_CHANGE = Text("from day {days} {after}", "第 {days} 天起{after}")
CROSSINGS_TITLE = Text(
    "Where one takes over from another (before rounding to billing units):", "转换点（未按计费单位取整）："
)
NO_CROSSINGS = Text(
    "nowhere: the cheapest way stays the cheapest for as long as it keeps up",
    "无：最便宜的方式在其能胜任的范围内始终最便宜",
)
MORE_CROSSINGS = Text("and so on ({count} more; --json lists them all)", "如此往复（另有 {count} 处，--json 列出全部）")
INPUTS: dict[str, Text] = {
    "price": Text("price of {name}", "{name} 的价格"),
    "hours": Text("hours per day", "每天小时数"),
    "tokens": Text("{name}", "{name}"),
    "speed": Text("speed of {name}", "{name} 的速度"),
    "exchange_rate": Text("exchange rate {name}", "汇率 {name}"),
    "electricity": Text("electricity", "电价"),
    "purchase": Text("purchase price of {name}", "{name} 的购买价"),
    "residual": Text("residual value", "残值"),
}
#: What a workload's amount is stated in: `tokens` of the inputs.
AMOUNTS: dict[str, Text] = {
    "tokens": Text("tokens", "token 数"),
    "gpu_hours": Text("GPU hours", "GPU 小时数"),
    "work": Text("amount of work", "任务量"),
}
RANGE = Text(
    "{input}{value}: the answer stays from {lower} to {upper} of today's value",
    "{input}{value}：在现值的 {lower} 至 {upper} 之间方案不变",
)
RANGE_THEN = Text("; below: {below}; above: {above}", "；低于则：{below}；高于则：{above}")
RANGE_TRIED = Text(
    "; looked at factors up to {gap} apart, not between them",
    "；所查倍数最多相隔 {gap}，其间未查",
)
RANGE_WHOLE_HOURS = Text("; whole hours were looked at, not between them", "；只查整小时，其间未查")
AT_LEAST_TO = Text("{percent} or beyond", "{percent} 或更远")
SAME_ANSWER = Text("the same", "不变")
NO_ANSWER = Text("no plan", "无可行方案")
BELOW = Text("below", "低于")
ABOVE = Text("above", "高于")
FIRST_CHANGE = Text(
    "First to change the answer: {input}{value}, {side} {factor} of today's value; then {plan}.",
    "最先改变方案的是{input}{value}：{side}现值的 {factor} 后，变为 {plan}。",
)
FIRST_CHANGE_TRIED = Text(
    "First to change the answer, of all that was tried: {input}{value}, {side} {factor} of today's value; then {plan}.",
    "在所查范围内，最先改变方案的是{input}{value}：{side}现值的 {factor} 后，变为 {plan}。",
)
NOTHING_CHANGES_TRIED = Text(
    "Nothing that was tried changes the answer: inputs between half and twice their value (whole hours up to 24).",
    "所查各输入在现值的一半到两倍之间（小时数只查整数，至多 24）都不改变方案。",
)
NOTHING_CHANGES = Text(
    "No input changes the answer between half and twice its value (hours: up to 24).",
    "任一输入在现值的一半到两倍之间（小时数至多 24）都不改变方案。",
)
RANGES_OPEN = Text(
    "How far these may move is not known, as nothing was proven in the time allowed: {inputs}.",
    "以下输入可变动多少尚不知，因限时内未能证明：{inputs}。",
)
SMALLEST_BUDGET = Text("Smallest budget known to suffice: {amount}", "已知足够的最小预算：{amount}")
NO_BUDGET_KNOWN = Text(
    "No budget is known to suffice: every plan has a line without a price.",
    "没有已知足够的预算：每个方案都有缺价的项目。",
)
NO_BUDGET_WORKS = Text("No budget would work: money is not what is missing.", "任何预算都不可行：缺的不是资金。")
FRONTIER_TITLE = Text(
    "Cost against the last finish (every step there is, each proven; the budget is left aside):",
    "费用与最晚完工（每一级，均经证明；不计预算）：",
)
FRONTIER_ROW = Text("{date}  {cost}  {plan}{mark}", "{date}  {cost}  {plan}{mark}")
ABOVE_BUDGET = Text(" (above the budget)", "（超出预算）")
AT_LEAST_WITHOUT = Text(
    " (at least: no price for {missing})",
    "（至少：{missing} 无价格）",
)
FRONTIER_STEADY = Text(
    "Steady work ends with the horizon: there is no earlier finish to buy.",
    "常驻任务与规划期同时结束：没有更早完工可买。",
)
FRONTIER_CUT = Text("The time allowance ended here; earlier finishes exist.", "时限在此用尽，可能还有更早的完工。")
COMPARE_HEADS = (
    Text("{currency}", "{currency}"),
    Text("A", "A"),
    Text("B", "B"),
    Text("B − A", "B − A"),
)
COMPARE_TITLE = Text("A: {first}\nB: {second}", "A：{first}\nB：{second}")
COMPARE_RATE = Text(
    "B is in {source}; its amounts are shown in {target} at 1 {source} = {rate} {target}.",
    "B 以 {source} 计；其金额按 1 {source} = {rate} {target} 折算为 {target} 显示。",
)
TOTAL = Text("total", "合计")
BY_LINE = Text("Lines", "明细")
BY_TERM = Text("By term", "按付费方式")
BY_TEAM = Text("By team", "按团队")
BY_MONTH = Text("Cash by month", "按月现金")
WORKS = Text("What runs where", "运行位置")
WORK_SAME = Text("{name}: the same, until {end}: {machines}", "{name}：相同，至 {end}：{machines}")
WORK_DIFFERS = Text("{name}: {first}; {second}", "{name}：{first}；{second}")
RUNS = Text("{plan} until {end}: {machines}", "{plan} 至 {end}：{machines}")
RUNS_NOT = Text("not in {plan}", "{plan} 中没有")
LACKS_PRICES = Text(
    "{plan} costs at least what is shown: no price is known for {what}.",
    "{plan} 的费用至少如所示：以下项目没有价格：{what}。",
)
NONE = Text("none", "无")
ANY = Text("any", "不限")
YES, NO = Text("yes", "是"), Text("no", "否")
NO_COST = Text("{names}: no feasible plan, so no costs to compare.", "{names}：无可行方案，无从比较费用。")
INPUTS_DIFFER = Text("What was asked differently", "输入差异")
INPUT_DIFFERS = Text("{path}: A {first}, B {second}", "{path}：A {first}，B {second}")
TO_CONFIRM = Text("Facts to confirm: A {first}, B {second}", "待确认事项：A {first}，B {second}")
VERDICT_CHEAPER = Text("{name} is {amount} ({percent}) cheaper.", "{name} 便宜 {amount}（{percent}）。")
VERDICT_AT_LEAST = Text("{name} is at least {amount} cheaper.", "{name} 至少便宜 {amount}。")
VERDICT_OPEN = Text(
    "Which is cheaper is not known, as prices are missing; counting known prices alone: A {first}, B {second}.",
    "因缺少价格，无法判断哪个更便宜；只计已知价格：A {first}，B {second}。",
)
VERDICT_REFUSED = Text(
    "Which is cheaper is not said, as the figures of a plan do not hold.",
    "有方案的数字不成立，因此不判断哪个更便宜。",
)
VERDICT_LESS_TO_PAY = Text(
    "{name} has {amount} ({percent}) less still to pay. That is no saving: what is there already is in neither total.",
    "{name} 尚需支付的少 {amount}（{percent}）。这不是节省：已有的不计入任一合计。",
)
FAILS_VERIFY = Text(
    "{plan} does not hold (checks of `optimize verify` that fail: {count}).",
    "{plan} 不成立：`optimize verify` 有 {count} 项不符。",
)
SUNK_APART = Text(
    "{plan} has already, paid for and not in its total: {what}.",
    "{plan} 已有且已付、不计入其合计：{what}。",
)
VERDICT_SAME = Text("Both cost the same.", "两者费用相同。")
HEDGE = Text(
    "Least expected cost over {count} futures: {amount}{proof}.",
    "{count} 种情景下的最小期望费用：{amount}{proof}。",
)
HEDGE_PROVEN = Text(", proven", "，已证明最优")
HEDGE_KNOWN = Text(
    ", proven for the prices that are known; what is unknown comes on top",
    "，就已知价格已证明最优；未知部分另计",
)
HEDGE_BOUND = Text(" (at least {amount})", "（至少 {amount}）")
COMMIT_NOW = Text("Commit now", "现在签约")
COMMIT_LINE = Text(
    "{count} × {pool}, {term}, from {start} until {end}: {amount}",
    "{count} × {pool}，{term}，{start} 至 {end}：{amount}",
)
COMMIT_NOTHING = Text("nothing: rent by the hour whatever comes", "不签约：无论哪种情景都按量租用")
FUTURES = Text("Then, in each future", "各情景下")
FUTURE_LINE = Text(
    "{name} ({weight}): {amount}; known now it would be {alone}. {runs}",
    "{name}（{weight}）：{amount}；若现在已知则为 {alone}。{runs}",
)
FUTURE_MISSING = Text(
    ". Unknown and not counted: {missing}; so it costs at least that.",
    "。未知且未计入：{missing}；因此费用至少如此。",
)
NOT_KNOWING = Text(
    "Not knowing costs {amount} ({percent} of the expected cost): the most that a sure forecast is worth.",
    "不确定性的代价为 {amount}（期望费用的 {percent}）：准确预测最多值这么多。",
)
WORST = Text("Worst case: {name}, {amount}.", "最坏情景：{name}，{amount}。")
ALL_HOURLY = Text(
    "All by the hour, nothing committed, would cost {amount} in expectation: committing saves {saved}.",
    "全部按量、不签约的期望费用为 {amount}：签约节省 {saved}。",
)
OVER_BUDGET = Text("{name} costs more than the budget of {budget}.", "{name} 超出预算 {budget}。")
NO_FUTURE_PLAN = Text("No plan even alone in: {names}.", "以下情景即使单独也无可行方案：{names}。")
NO_COMMON_PLAN = Text("No commitments work in every future.", "没有任何签约在所有情景下都可行。")
BUDGET_LATE = Text("The smallest budget was not proven within the time limit.", "时限内未能证明最小预算。")

"""Every sentence of the reports, in English and Chinese with the same placeholders."""

from optimizer.domain.term_words import BARE_METAL as BARE_METAL
from optimizer.domain.term_words import TAKEN as TAKEN
from optimizer.domain.term_words import TERMS as TERMS
from optimizer.domain.text import Text

# --- names -----------------------------------------------------------------------------------------------

THERE_ALREADY = Text("there already", "已有")
KINDS: dict[str, Text] = {
    "machine": Text("machine", "机器"),
    "commitment": Text("committed money", "承诺消费"),
    "storage": Text("storage", "存储"),
    "egress": Text("egress", "出网流量"),
    "energy": Text("energy", "电费"),
    "colocation": Text("colocation", "托管"),
    "maintenance": Text("maintenance", "维保"),
    "staff": Text("staff", "人员"),
    "network": Text("network", "网络"),
    "move": Text("move", "迁移"),
}
UNPRICED: dict[str, Text] = {
    "storage": KINDS["storage"],
    "cold storage": Text("cold storage", "冷存储"),
    "egress": KINDS["egress"],
}
BOUNDS: dict[str, Text] = {
    "compute": Text("compute", "算力"),
    "memory_bandwidth": Text("memory bandwidth", "显存带宽"),
    "intra_node": Text("links inside the node", "节点内互联"),
    "inter_node": Text("network between nodes", "节点间网络"),
    "input": Text("data input", "数据读取"),
}
PARTS: dict[str, Text] = {
    "weights": Text("weights", "权重"),
    "gradients": Text("gradients", "梯度"),
    "optimizer": Text("optimizer", "优化器"),
    "activations": Text("activations", "激活"),
    "logits": Text("logits", "logits"),
    "other": Text("other", "其他"),
    "total": Text("total", "合计"),
}
CHECKPOINTING: dict[str, Text] = {
    "none": Text("no recomputation", "不重算"),
    "selective": Text("selective recomputation", "选择性重算"),
    "full": Text("full recomputation", "完全重算"),
}
PRICE_KINDS: dict[str, Text] = {
    "list": Text("list price", "官方目录价"),
    "spot": Text("measured spot price", "实测抢占价"),
    "street": Text("street rent", "市场租价"),
    "market_quote": Text("market quote", "市场报价"),
    "quote": Text("your quote", "你的报价单"),
}
VERDICTS: dict[str, Text] = {
    "pass": Text("pass", "通过"),
    "fail": Text("fail", "不通过"),
    "unknown": Text("unknown", "未知"),
    "not_applicable": Text("not applicable", "不适用"),
}
SEVERITIES: dict[str, Text] = {
    "hard": Text("hard", "硬性"),
    "warn": Text("warning", "警告"),
    "advice": Text("advice", "建议"),
    "note": Text("note", "说明"),
    "off": Text("off", "关闭"),
}

# --- the decision ----------------------------------------------------------------------------------------

RENT = Text("Rent {what}", "租用 {what}")
BUY = Text("buy {what}", "购买 {what}")
BUY_FIRST = Text("Buy {what}", "购买 {what}")
COMMIT = Text("commit {price} an hour to {provider} ({term})", "向 {provider} 承诺每小时 {price}（{term}）")
COVERED = Text("{product}, paid by the savings plan", "{product}，由节省计划支付")
ANY_REGION = Text("any region", "任一地域")
USE_TOO = Text("use {what}, there already", "使用已有的 {what}")
BETWEEN = Text("{low} to {high}", "{low}至 {high}")
USE_OWN = Text("Run on what is there already", "使用已有的机器")
UP_TO = Text("up to {count} × {name} {taken}", "至多 {count} × {name}（{taken}）")
BOUGHT_ONE = Text("{count} × {name}", "{count} × {name}")
EXACTLY = Text("{count} × {name} {taken}", "{count} × {name}（{taken}）")
AND_MORE = Text("{count} more", "另 {count} 项")
HEADLINE = Text("{decision}: {total}, {until}", "{decision}：共 {total}，{until}")
UNTIL_DONE = Text("finished on {finish}", "{finish} 完成")
WHOLE_HORIZON = Text("for {months} from {start}", "自 {start} 起 {months}")
PROOF_INCOMPLETE = Text(
    "This holds for the lines that have a price; no plan in which every line has one keeps the rules and limits.",
    "此证明只涵盖有价格的项目；没有各项价格齐全且符合规则与限制的方案。",
)
RULES_CHANGED = Text("profile {profile}; changed by the file: {rules}", "档位 {profile}；文件改动：{rules}")
PROVEN = Text(
    "Proven cheapest under the stated rules: bound {bound}, gap 0.",
    "已证明在所列规则下最便宜：下界 {bound}，差距 0。",
)
NOT_PROVEN = Text(
    "Best plan found, not proven: at most {gap} ({percent}) above the cheapest possible; bound {bound}.",
    "目前找到的最好方案，尚未证明最优：最多比最便宜者贵 {gap}（{percent}）；下界 {bound}。",
)
PROOF_DISCOUNTED = Text(
    "Bound and gap are stated for the present value, {present_value}.",
    "下界与差距按现值 {present_value} 计。",
)
CHEAPER = Text(
    "{difference} ({percent}) less than the naive plan of {cost}, rules ignored: {description}",
    "比不顾规则的直觉方案（{cost}）省 {difference}（{percent}）：{description}",
)
AS_DEAR = Text(
    "The same cost as the naive plan of {cost}, rules ignored: {description}",
    "与不顾规则的直觉方案（{cost}）费用相同：{description}",
)
DEARER = Text(
    "{difference} ({percent}) more than the naive plan of {cost}, which ignores the rules: {description}",
    "比不顾规则的直觉方案（{cost}）多 {difference}（{percent}）：{description}",
)
NAIVE_UNPRICED = Text(
    "the naive figure leaves out what has no price there ({what})", "直觉方案未计入当地缺价的项目（{what}）"
)
NAIVE_HAS_NOTHING = Text("it uses nothing of what you have or have paid already", "该方案不使用您已有或已付费的资源")
WITHOUT_UNPRICED = Text("what has no price is not in the plan's figure", "本方案的缺价项目未计入")
CHEAPER_UNPRICED = Text(
    "Cheaper as long as what has no price there ({what}) comes to less than {room}: {cost} and more for {description}. "
    "Ask for that price (`optimize quotes template`).",
    "只要当地缺价的项目（{what}）合计低于 {room}，下列方案更便宜：{description}，至少 {cost}。"
    "请询价（`optimize quotes template`）。",
)
SAVING_UNKNOWN = Text(
    "Saving against the naive plan: unknown ({description})",
    "相对直觉方案的节省：未知（{description}）",
)
NO_BASELINE = Text("no naive plan was computed", "未计算直觉方案")
CONDITIONAL = Text(
    "Conditional for {workloads}: confirm the facts listed below before you sign.",
    "有条件（{workloads}）：签约前须确认下列事实。",
)
INTERRUPTED = Text(
    "Interrupted: the search ended here; what was still to come beside this answer (naive plan, alternatives, prices "
    "of rules) is missing.",
    "已中断：搜索到此为止；尚未算出的附带内容（直觉方案、备选方案、规则的代价）缺失。",
)
IN_THE_PAST = Text(
    "The start, {start}, lies {days} before the day of the prices, {as_of}: is it meant?",
    "起始日 {start} 比价格日期 {as_of} 早 {days}：是否有意？",
)
INCOMPLETE = Text("At least this much; no price is known for: {what}", "至少此数；以下项目没有价格：{what}")
TIES = Text("Ties", "并列方案")
TIES_ALL = Text("settled at every level: the plan is unique", "逐级取舍完毕：方案唯一")
TIES_UP_TO = Text("settled up to: {level}", "取舍至：{level}")
TIE_LEVELS: dict[str, Text] = {
    "below_strict": Text("fewest rules below their strict figure", "低于严格值的规则最少"),
    "unknowns": Text("fewest unknowns", "未知项最少"),
    "unit_days": Text("fewest days of machines bought or rented by term", "按期租购的机器天数最少"),
    "node_days": Text("fewest node-days", "节点天数最少"),
    "providers": Text("fewest providers", "供应商最少"),
    "generation": Text("more mature generations", "更成熟的代次"),
    "placement": Text("first by name of machine and layout", "按机器与布局名称排序在先"),
    "term": Text("first by name of term", "按租期名称排序在先"),
    "start": Text("earliest purchases", "购买最早"),
}

# --- section titles --------------------------------------------------------------------------------------

WHAT_TO_TAKE = Text("What to rent or buy", "租什么、买什么")
WHAT_RUNS = Text("What runs where", "任务怎样运行")
ALTERNATIVES = Text("Alternatives", "备选方案")
BINDING_RULES = Text("Rules that cost money", "规则的代价")
WARNINGS = Text("Warnings", "警告")
DOCUMENTS_SAY = Text("What the documents say of this plan", "文献对此方案的说法")
TO_CONFIRM = Text("Confirm before buying", "购买前确认")
QUOTES = Text("Quotes to get", "需要的报价")
RISKS = Text("Locks and cash risks", "锁定与现金风险")
ASSUMPTIONS = Text("What this assumes", "前提")
SOURCES = Text("Sources", "来源")
SUNK_IS = Text("{count} × {name}: {share} of its days used", "{count} × {name}：使用了其中 {share} 的天数")
SUNK = Text("Already paid (not counted, not a saving)", "已付（不计入，也不算节省）")
QUOTAS = Text("Quotas", "配额")
NOTES = Text("Notes", "备注")

# --- lines of cost ---------------------------------------------------------------------------------------

TOTAL = Text("Total, {tax}, {span}", "合计（{tax}），{span}")
NO_CHARGE = Text("{product}: no charge", "{product}：免费")
WITH_TAX = Text("with tax", "含税")
WITHOUT_TAX = Text("without tax", "不含税")
TAX_AS_LISTED = Text("tax as listed", "税按所列")
AFTER_RESALE = Text("less resale {residual}", "减残值 {residual}")
AT_RATE = Text("{rate} {currency}/{price_currency}", "{rate} {currency}/{price_currency}")
TAX_FACTOR = Text("tax factor {factor}", "税率系数 {factor}")
QUANTITY_ONLY = Text("{name}: {quantity}, priced at {price}", "{name}：{quantity}，单价 {price}")
FROM_TO = Text("{start} until {end}", "{start} 至 {end}（不含）")
TIMES = Text("{count} times", "{count} 次")
RANGE = Text("{low} to {high}", "{low} 至 {high}")
TIMES_EACH = Text("{count} times {each}", "{count} 次，每次 {each}")
IN_MONTHS = Text("in {months}, each {each}", "分 {months}，每月 {each}")
OWN_FIGURE = Text("figure of your file", "文件所给")
MONTHLY = Text("= {amount} a month on average over {months}", "= 平均每月 {amount}，共 {months}")
PER_GPU_HOUR = Text(
    "= {amount} per GPU-hour of work, everything included ({hours} GPU-hours)",
    "= 每 GPU 工作小时 {amount}，一切费用在内（{hours} GPU 小时）",
)
PER_MILLION_TOKENS = Text("= {amount} per million tokens", "= 每百万 token {amount}")
PRESENT_VALUE = Text("Present value", "现值")
DISCOUNTED_AT = Text("discounted at {rate} a year", "年折现率 {rate}")
BY_TEAM = Text("By team", "按团队")
BY_TERM = Text("By term", "按方式")
ROUNDED = Text("Lines are rounded to show; the total is exact in plan.json", "各行显示时已取整；合计以 plan.json 为准")
HIGHEST_MONTH = Text("Highest month", "最高月份")
IN_MONTH_FROM = Text("{amount} in the month from {date}", "{date} 起的一个月 {amount}")
NO_TEAM = Text("no team", "未分团队")

# --- what runs -------------------------------------------------------------------------------------------

TEAM = Text("team {team}", "团队 {team}")
ON = Text("On", "机器")
LAYOUT = Text("Layout", "布局")
MEMORY = Text("Memory", "显存")
SPEED = Text("Speed", "速度")
TIME = Text("Time", "时间")
PAID_BY = Text("Paid by", "付费")
RULES = Text("Rules", "规则")
NODE_WHOLE = Text("{nodes} × {name} ({gpus} × {gpu} each)", "{nodes} × {name}（每台 {gpus} × {gpu}）")
NODE_PART = Text("{used} of {gpus} × {gpu} on {nodes} × {name}", "{nodes} × {name} 上 {gpus} × {gpu} 中的 {used} 块")
NO_LAYOUT = Text("not a language model: no layout", "非语言模型：无布局")
TENSOR_PARALLEL = Text("tensor parallel {ways}", "张量并行 {ways}")
PIPELINE_PARALLEL = Text("pipeline parallel {ways}", "流水并行 {ways}")
EXPERT_PARALLEL = Text("expert parallel {ways}", "专家并行 {ways}")
DATA_PARALLEL = Text("data parallel {ways}", "数据并行 {ways}")
SINGLE_GPU = Text("one GPU", "单卡")
MICRO_BATCH = Text("micro-batch {size} × {steps} steps", "微批 {size} × 累积 {steps} 步")
SEQUENCE_PARALLEL = Text("sequence parallel", "序列并行")
OFFLOADED = Text("optimizer in host memory", "优化器卸载到主机内存")
USED_OF = Text("{used} of {usable} per GPU ({percent})", "每卡 {usable} 中用 {used}（{percent}）")
TIGHT = Text(
    "tight: three published runs in ten needed over {spread} more than computed, so try it on one machine first",
    "余量很小：公开的训练中十次有三次的显存比计算值高 {spread} 以上，请先在一台机器上试跑",
)
HOST_USED = Text("host {used} per node", "每节点主机内存 {used}")
MEMORY_UNKNOWN = Text("not computed; {usable} there per GPU", "未计算；每卡可用 {usable}")
SPEED_RANGE = Text("{rate} ({low} to {high}, {spread})", "{rate}（{low} 至 {high}，{spread}）")
BOUND_BY = Text("bound by {what}", "受限于{what}")
MFU = Text("{percent} of peak", "峰值的 {percent}")
HOURS_GIVEN = Text(
    "given as GPU hours, taken to split over any number of GPUs without loss",
    "以 GPU 小时给出，假定可无损耗地分摊到任意数量的 GPU",
)
RUN_TIME = Text(
    "{hours} at {per_day} a day = {days}: {start} to {finish}", "{hours}，每天 {per_day}，{days}：{start} 至 {finish}"
)
RUN_ONE_DAY = Text("{hours} on {start}", "{start} 当天 {hours}")
REPEATED = Text(
    "{count} times {hours} at {per_day} a day ({days} each): first from {start}, last done on {finish}",
    "{count} 次，每次 {hours}，每天 {per_day}（各 {days}）：首次 {start} 起，末次 {finish} 完成",
)
FROM = Text("from {clock}", "{clock} 起")
STARTS_AT = Text("each day from {clock}", "每天 {clock} 起")
NODES_ON = Text("{nodes} {taken}", "{nodes}（{taken}）")
ON_OWNED = Text("on owned machines", "自有机器")
ON_SPOT = Text("may be interrupted; restarts are in the time", "可能被中断；重启已计入时间")
STANDS_ON = Text("stands on {rules}, not confirmed", "取决于未确认的 {rules}")
RULES_MET = Text("{passed} met", "{passed} 条满足")
RULES_ALLOWED = Text("{failed} not met but allowed", "{failed} 条未满足但允许")
RULES_UNKNOWN = Text("{unknown} unknown", "{unknown} 条未知")

# --- alternatives, rules, unknowns -----------------------------------------------------------------------

ALTERNATIVE_HEADS = (
    Text("plan", "方案"),
    Text("total {currency}", "合计 {currency}"),
    Text("extra", "多付"),
    Text("finish", "完成"),
)
IS_CONDITIONAL = Text("conditional", "有条件")
RULE_COSTS = Text("{rule}: {percent} dearer ({saving}) than {plan}", "{rule}：比 {plan} 贵 {percent}（{saving}）")
RULE_WITHOUT = Text("the best plan without it", "无此规则的最佳方案")
BELOW_STRICT = Text("Below the strictest documented figure: {rules}", "低于文献中最严的数值：{rules}")
ASK_OF = Text("{offer} (ask {whom})", "{offer}（询问 {whom}）")
PROVE_WITH = Text("proof: {command}", "验证：{command}")
NOTHING_TO_CONFIRM = Text("nothing: every hard rule is met by known facts", "无：所有硬性规则均由已知事实满足")
QUOTE = Text(
    "{name} ({term}, {provider}): rests on a {kind} {dated}", "{name}（{term}，{provider}）：依据{dated}{kind}"
)
QUOTE_SERVICE = Text("{service} at {provider}: rests on a {kind} {dated}", "{provider} 的{service}：依据{dated}{kind}")
DATED = Text("of {date}", "{date} 的")
UNDATED = Text("without a date", "没有日期的")
QUOTE_MISSING = Text("no price known: {what}", "没有价格：{what}")
QUOTE_COMMAND = Text(
    "`optimize quotes template --plan plan.json` writes the request",
    "`optimize quotes template --plan plan.json` 生成询价信",
)

# --- locks -----------------------------------------------------------------------------------------------

LOCKED = Text(
    "{count} × {name} ({term}): {cost} bound until {end}; {payment}; {early_end}",
    "{count} × {name}（{term}）：{cost} 锁定至 {end}；{payment}；{early_end}",
)
COMMITTED = Text(
    "{price} an hour committed to {provider} ({term}): {cost} bound until {end}, used or not; {payment}; {early_end}",
    "向 {provider} 承诺每小时 {price}（{term}）：{cost} 锁定至 {end}，用否皆付；{payment}；{early_end}",
)
BOUGHT = Text(
    "{count} × {name} bought for {price} on {start}; this counts a resale of {residual}, which is an assumption",
    "{start} 以 {price} 购买 {count} × {name}；其中按残值 {residual} 计，属假设",
)
UNUSED = Text("{days} of it after the last work", "其中 {days}在最后一次使用之后")
PAID_FIRST_DAY = Text("paid on the first day", "首日付清")
PAID_MONTHLY = Text("paid monthly", "按月支付")
PAID_EACH_TERM = Text("paid on the first day of each term", "每期首日支付")
PAID_SHARE = Text("{percent} on the first day, the rest monthly", "首日付 {percent}，其余按月")
RENEWED = Text(
    "{count} × {name} ({term}): {cost} in {parts} rents one after the other, each bound for its own term; {payment}; "
    "the price of the later ones is not held; {early_end}",
    "{count} × {name}（{term}）：{cost}，共 {parts} 期先后租用，每期各自锁定；{payment}；后续各期价格未锁定；"
    "{early_end}",
)
PAID_ASSUMED = Text("{payment} (assumed: not on record)", "{payment}（假设：无记录）")
NO_EARLY_END = Text("early end and refunds not on record: ask", "提前终止与退款无记录：须询问")
EARLY_END = Text("early end: {rule} ({source})", "提前终止：{rule}（{source}）")
SPOT_RISK = Text(
    "Spot machines can be taken away at any time; lost hours are in the plan at the stated rate, not as a guarantee.",
    "抢占式机器随时可能被收回；损失的小时按所述比率计入，并无保证。",
)
PRICE_ENDS = Text(
    "{what}: the price is stated until {last} and used until {used}; ask what it is afterwards",
    "{what}：价格只标明至 {last}，方案用到 {used}；请询问此后的价格",
)
NO_LOCKS = Text("none: everything is paid by the hour used", "无：全部按使用小时付费")

# --- assumptions -----------------------------------------------------------------------------------------

PERIOD = Text("Period", "期间")
PERIOD_IS = Text("{span}, {days}; prices as of {as_of}", "{span}，{days}；价格截至 {as_of}")
RATES = Text("Rates", "汇率")
RATE_IS = Text("1 USD = {rate} {currency} ({day}, {source})", "1 USD = {rate} {currency}（{day}，{source}）")
ONE_CURRENCY = Text("none needed: all prices are in {currency}", "无需汇率：全部价格以 {currency} 计")
OWN_RATE_IS = Text(
    "1 USD = {rate} {currency} (set by the workload file)", "1 USD = {rate} {currency}（由任务文件给出）"
)
TAX = Text("Tax", "税")
TAX_IS = Text(
    "compared {basis}; rate {rate}; prices that do not say are taken as {included}",
    "按{basis}比较；税率 {rate}；未注明者按{included}",
)
TAX_NONE = Text("prices are compared as listed, no tax added or taken off", "按所列价格比较，不加减税")
TAX_UNKNOWN = Text("not stated in the plan file", "方案文件未注明")
MONTHS = Text("Months", "月")
MONTHS_ARE = Text(
    "calendar months from the start; an hourly figure of a monthly price counts 730 h, of a yearly one 8,760 h",
    "自起始日按日历月；包月价折小时按 730 小时，包年按 8,760 小时",
)
BILLED = Text("Billed hours", "计费小时")
BILLED_IS = Text(
    "{billed} machine-hours for {run} of work ({percent} more): each day is billed in whole units of the seller, "
    "whole hours where none is stated",
    "机器运行 {run} 小时，计费 {billed} 小时（多 {percent}）：每天按厂商的计费单位向上取整，未标明者按整小时",
)
AFTER = Text("After the end", "期末之后")
AFTER_STOP = Text("rents that outlive the end count in full", "超出期末的租期全额计入")
AFTER_CONTINUE = Text("rents and machines count for their days inside only", "租期与自有机器只计期内天数")
PROFILE = Text("Rules", "规则")
PROFILE_IS = Text("profile {profile}", "规则档 {profile}")
BUDGET = Text("Budget", "预算")
BUDGET_IS = Text("{budget}; {left} left", "{budget}；剩 {left}")
BUDGET_OPEN = Text("{budget}; {left} left for what has no price", "{budget}；剩 {left}，须用于缺价的项目")
TIERS = Text("Price tiers", "价格档")
TIERS_ARE = Text(
    "storage and traffic at the first paid tier on all of the amount; free tiers not counted",
    "存储与流量的全部用量均按首个付费档计；免费额度不计入",
)
PRICES = Text("Prices", "价格")
OLDEST = Text("oldest used {date} ({days} old)", "所用最旧 {date}（距今 {days}）")
UNDATED_PRICE = Text("price undated", "价格无日期")
OLD_PRICE = Text("price {days} old", "价格已有 {days}")
AGES = Text(
    "of {lines} lines {old} older than {limit} days, {undated} undated",
    "{lines} 行中 {old} 行超过 {limit} 天，{undated} 行无日期",
)
CATALOG = Text("Catalog", "目录")
CATALOG_IS = Text(
    "{machines} machines with {prices} prices in {files} files; sha256 {sha}",
    "{files} 个文件，{machines} 种机器，{prices} 个价格；sha256 {sha}",
)
VERSIONS = Text("Made by", "生成")

# --- no plan ---------------------------------------------------------------------------------------------

NO_PLAN = Text("No plan meets every limit.", "没有方案满足全部限制。")
REMOVED_TITLE = Text("What each filter removed", "各筛选条件去掉了多少")
REMOVED_HEADS = (Text("filter or rule", "筛选或规则"), Text("removed", "去掉"), Text("left", "剩余"))
RELAXATIONS = Text("The least change that gives a plan", "得到方案的最小改动")
RELAXATION_HEADS = (Text("direction", "方向"), Text("change", "改动"), Text("total {currency}", "合计 {currency}"))
NO_RELAXATION = Text("no single change was found that gives a plan", "未找到单项改动即可得到方案的办法")
BEST_SUBSET = Text("What fits, by priority", "按优先级可以满足的部分")
DIRECTIONS: dict[str, Text] = {
    "money": Text("money", "预算"),
    "days": Text("days", "天数"),
    "rule": Text("rule", "规则"),
    "provider": Text("provider", "供应商"),
    "region": Text("region", "地域"),
    "country": Text("country", "国家"),
    "countries": Text("country", "国家"),
    "regions": Text("region", "地域"),
    "providers": Text("provider", "供应商"),
    "gpus": Text("GPU model", "GPU 型号"),
    "unknowns": Text("unknowns", "未知项"),
    "validity": Text("quotes' validity", "报价有效期"),
    "age": Text("age of prices", "价格时效"),
    "subset": Text("fewer workloads", "减少任务"),
}
SENSITIVITY = Text("Sensitivity", "敏感度")

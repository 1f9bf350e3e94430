"""What a check expects and what it found, where that is a sentence; values of the plan file stay as they are."""

from optimizer.domain.text import Text

UNKNOWN = Text("unknown", "未知")
NONE = Text("none", "无")
AT_MOST = Text("at most {limit}", "至多 {limit}")
AT_LEAST = Text("at least {limit}", "至少 {limit}")
NONE_OF = Text("none of {names}", "不在 {names} 之内")
NOT_AFTER = Text("not after {day}", "不晚于 {day}")
UNTIL = Text("until {day}", "至 {day}")

# --- what cannot be read or computed -----------------------------------------------------------------------

INPUTS = Text("a workload file and dates inside the calendar", "可读的任务文件与日历之内的日期")
INVALID_FIELDS = Text("{count} invalid fields: {names}", "{count} 个无效字段：{names}")
BEYOND_CALENDAR = Text("dates beyond the calendar", "超出日历的日期")
COMPUTABLE = Text("figures that can be recounted", "可重算的数值")
NO_ENTRY = Text("nothing under the name {name}", "没有名为 {name} 的项")
NOT_COMPUTABLE = Text("a computation that cannot be made ({error})", "无法进行的计算（{error}）")
NO_LENGTH = Text("a term of months with a price per {unit}", "以月计的租期，其单价按 {unit} 计")
NO_LAYOUT = Text("no model or no layout to recount", "没有可重算的模型或并行布局")

# --- days, nodes and units ---------------------------------------------------------------------------------

DAYS_IN_ORDER = Text("from day 0 on, the end after the first day", "自第 0 天起，结束晚于首日")
STARTS_INSIDE = Text("start inside the horizon, before the end", "始于规划期内，早于结束")
SAME_HOURS = Text("the same hours on each day of a stretch", "一段之内每天小时数相同")
SAME = Text("the same", "相同")
NODES_ON_DAY = Text("day {day}: {count} nodes", "第 {day} 天：{count} 个节点")
NODE_HOURS_ON_DAY = Text("day {day}: {count} node-hours", "第 {day} 天：{count} 节点小时")
POWER_OF_TWO = Text("a power of two that divides {count}", "能整除 {count} 的 2 的幂")
MAY_SHARE = Text("one node, not exclusive, on units alone", "单节点、非独占、只用整租或自有的机器")
NODES = Text("{count} nodes", "{count} 个节点")
ROOM = Text("room on every day and hour", "每天每小时都放得下")
CROWDED = Text(
    "day {day}, hour {hour}: {nodes} nodes on {units} units", "第 {day} 天 {hour} 时：{units} 台机器上有 {nodes} 个节点"
)

# --- lines and prices --------------------------------------------------------------------------------------

OFFER_OF_PLAN = Text("an offer of the plan", "方案所含的报价")
PRICE_IN_OFFER = Text("its price in the offer", "该报价中的价格")
NO_PRICE = Text("no price on {term}", "没有 {term} 的价格")
COUNTS = Text("{count} x {quantity} on {term}", "{count} × {quantity}，租期 {term}")
NO_TERM = Text("no term", "无")
COUNTS_EXPECTED = Text("count and quantity above 0, a term for machines", "台数与数量大于 0，机器须有租期")
MAY_BUY = Text("a machine of may_buy", "may_buy 中的机器")
USABLE_BEFORE = Text("usable before day {day}", "第 {day} 天之前可用")
SELLER = Text("a provider", "供应商")
UNPRICED: dict[str, Text] = {
    "storage": Text("{work}: storage on {pool}", "{work}：{pool} 的存储"),
    "cold storage": Text("{work}: cold storage on {pool}", "{work}：{pool} 的冷存储"),
    "egress": Text("{work}: egress on {pool}", "{work}：{pool} 的出网流量"),
}

# --- savings plans -----------------------------------------------------------------------------------------

WHOLE_MACHINES = Text("whole machines sold by the hour", "按量出售的整机")
ENOUGH = Text("enough at every hour", "每小时都足够")
SHORT = Text(
    "day {day}, hour {hour}: {taken} of {there} an hour", "第 {day} 天 {hour} 时：每小时用 {taken}，承诺 {there}"
)
COVERS_ALL = Text("a savings plan that covers all", "涵盖全部机型的节省计划")
STEPS = Text("steps of {step}", "{step} 的整数倍")

# --- memory, speed, rules, sums ----------------------------------------------------------------------------

FITS = Text("fits", "放得下")
MISFIT = Text("{what}: {needed} GiB of {usable} GiB", "{what}：需 {needed} GiB，可用 {usable} GiB")
KNOWN_GPU = Text("a GPU of the fact table", "事实表中的 GPU")
NOT_NEGATIVE = Text("none below 0", "均不小于 0")
AROUND = Text("holds {speed}", "包含 {speed}")
OF_THE_FINDINGS = Text("those of the findings", "各项规则结论所列者")
BOUND_AT_MOST = Text("bound at most {cost}", "下界至多 {cost}")
NO_RATE = Text("none without a rate", "没有折现率时为空")

"""Sentences that only the HTML report and the workbook need."""

from optimizer.domain.text import Text

TITLE = Text("GPU plan: {total}", "GPU 方案：{total}")
SKIP = Text("Skip to the decision", "跳到决定")
CONTENTS = Text("Contents", "目录")
FOR_ENGINEERS = Text("For engineers", "工程")
FLEET = Text("What is signed or bought", "签什么、买什么")
COST_BY_MONTH = Text("Cost by month and term", "各月各方式的费用")
CASH_FLOW = Text("Cash flow", "现金流")
TEAMS = Text("Cost by team", "各团队费用")
BREAK_EVEN = Text("Break-even: which term wins where", "盈亏平衡：何处何种方式最省")
RULES = Text("Rules, verdicts and documents", "规则、结论与文献")
USE = Text("Who uses what", "谁用什么")
PRICES_USED = Text("Prices used", "所用价格")
PROOF = Text("Proof", "证明")

COST_BY_MONTH_NOTE = Text(
    "Each line's cost is spread evenly over its own days; the parts add up to the total.",
    "每行费用按其天数平均分摊；各部分之和等于合计。",
)
CASH_NOTE = Text(
    "What leaves in each month from the start. Resale values are not cash. Line: running total.",
    "自起始日起各月的付款。残值不是现金。折线：累计。",
)
CASH_BUDGET_NOTE = Text(" Dashed: budget.", "虚线：预算。")
BREAK_EVEN_NOTE = Text(
    "Cheapest term for each number of days and hours a day. The ring is the documents' point: {days} days at {hours} h "
    "a day, where they advise to look, not where the figures cross.",
    "每个天数与每日小时数下最便宜的方式。方框为文献所说之处：{days} 天、每天 {hours} 小时，"
    "那里应当开始比较，并非计算出的平衡点。",
)
BREAK_EVEN_AXES = Text("Across: days. Up: hours a day.", "横轴：天数；纵轴：每天小时数。")
CROSSINGS = Text("Where one term overtakes another", "方式之间的交点")
MEMORY_NOTE = Text("The upright line is the memory that is there per GPU.", "竖线为每卡可用显存。")
CHART_VALUES = Text("{label}: {values}", "{label}：{values}")

TOTAL = Text("Total", "合计")
AVERAGE = Text("A month on average", "平均每月")
HIGHEST = Text("Highest month", "最高月份")
FINISH = Text("Work finished", "完成")
NO_DIFFERENCE = Text("the same", "相同")
SAVED = Text("Against the naive plan", "相对直觉方案")
STATUS = Text("Status", "状态")
UNKNOWN = Text("unknown", "未知")
GAP_ZERO = Text("proven, gap 0", "已证明，差距 0")
GAP = Text("not proven, gap {percent}", "未证明，差距 {percent}")

ITEM = Text("item", "项目")
WHERE = Text("where", "地点")
HOW = Text("term", "方式")
WHEN = Text("from / until", "起止")
CALCULATION = Text("calculation", "计算")
COST = Text("cost {currency}", "费用 {currency}")
MONTH = Text("month from", "月（起）")
AMOUNT = Text("amount {currency}", "金额 {currency}")
RUNNING_TOTAL = Text("running total {currency}", "累计 {currency}")
TEAM = Text("team", "团队")
SHARE = Text("share", "占比")
RULE = Text("rule", "规则")
VERDICT = Text("verdict", "结论")
SEVERITY = Text("severity", "级别")
MEASURED = Text("measured", "实测")
REQUIRED = Text("required", "要求")
DOCUMENT = Text("document", "文献")
MESSAGE = Text("in words", "说明")
WORKLOAD = Text("workload", "任务")
POOL = Text("pool", "资源池")
DAYS = Text("days", "天")
FROM_UNITS = Text("from units", "来自租期")
HOURLY = Text("by the hour", "按量")
ON_SPOT = Text("spot", "抢占式")
COVERED = Text("under savings plans", "节省计划支付")
HOURS = Text("hours a day", "每天小时")
PRICE = Text("price", "价格")
KIND = Text("kind", "类型")
SEEN = Text("observed", "日期")
SOURCE = Text("source", "来源")
OFFER = Text("offer", "产品")
WHAT = Text("fact", "事实")
WHOM = Text("confirm with", "向谁确认")
QUOTA = Text("quota", "配额")
QUOTA_IS = Text("{what}: at most {limit}", "{what}：至多 {limit}")
QUOTA_OF_ALL = Text("everything", "全部")
QUOTA_PARTS: dict[str, Text] = {
    "provider": Text("provider {name}", "供应商 {name}"),
    "region": Text("region {name}", "地域 {name}"),
    "instance_type": Text("machine {name}", "机型 {name}"),
    "gpu": Text("GPU {name}", "GPU 型号 {name}"),
}
QUOTA_TERMS: dict[str, Text] = {
    "hourly": Text("by the hour", "按量"),
    "term": Text("rented by term", "按租期"),
    "spot": Text("on spot", "抢占式"),
}
PEAK = Text("highest use", "最高使用")
TERM_FROM = Text("from", "起")
TERM_TO = Text("to", "到")
UNTIL = Text("until", "止（不含）")
NOT_DATED = Text("no date", "无日期")
FOOTER = Text(
    "Made from plan.json; `optimize verify plan.json` recounts every figure without the solver.",
    "由 plan.json 生成；`optimize verify plan.json` 不用求解器即可复核每个数字。",
)

# --- workbook --------------------------------------------------------------------------------------------

SHEET_SUMMARY = Text("Summary", "概要")
SHEET_INPUTS = Text("Inputs", "输入")
SHEET_LINES = Text("Lines", "费用明细")
SHEET_CASH = Text("Cash flow", "现金流")
SHEET_WORK = Text("Work", "任务")
SHEET_RULES = Text("Rules", "规则")
UNITS_PER_USD = Text("units per USD", "每美元单位数")
INTO_PLAN = Text("into {currency}", "折合 {currency}")
COUNT = Text("count", "数量")
QUANTITY = Text("quantity", "用量")
UNIT = Text("unit", "单位")
UNIT_PRICE = Text("unit price", "单价")
PRICE_CURRENCY = Text("currency", "币种")
RATE = Text("rate", "汇率")
TAX_FACTOR = Text("tax factor", "税率系数")
OTHER_FACTOR = Text("share counted", "计入比例")
RESIDUAL = Text("resale value", "残值")
TERM = Text("term", "方式")
PLAN_COST = Text("cost in the plan file", "方案文件中的费用")
PLAN_TOTAL = Text("total in the plan file", "方案文件中的合计")
DIFFERENCE = Text("difference", "差额")
CASH_CHECK = Text("cash less resale value less total", "现金减残值减合计")
BUDGET = Text("budget", "预算")
LEFT = Text("left of the budget", "预算剩余")
GPU_HOURS = Text("GPU-hours of work", "GPU 工作小时")
PER_GPU_HOUR = Text("per GPU-hour of work", "每 GPU 工作小时")
MONTHS = Text("months", "月数")
BY_TERM = Text("By term", "按方式")
BY_TEAM = Text("By team", "按团队")
DIFFERENCE_NOTE = Text(
    "the plan rounds each day and term to a millionth; the workbook multiplies",
    "方案按日、按期取整至百万分之一；此表直接相乘",
)
LIVE_NOTE = Text(
    "Yellow cells are inputs; sums, shares and checks are live formulas. Proof and choice of machines are the plan's: "
    "change an input and the sums follow, the choice does not.",
    "黄色单元格为输入；合计、占比与核对为公式。证明与机器选择属于方案：改动输入，合计随之变化，选择不变。",
)

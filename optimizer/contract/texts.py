"""Words of the document itself: headings, column names, statuses, units."""

from optimizer.contract.spec import Kind, Remedy, Status
from optimizer.domain.text import Text

TITLE = Text("Contract specification for GPU machines", "GPU 服务器合同规格书")
TITLE_ORDER = Text("Order checklist for GPU machines", "GPU 云资源下单核对表")
PLAN_ID = Text("Plan", "方案编号")
CATALOG = Text("Catalog", "目录校验")
AS_OF = Text("Prices as of", "价格日期")
UNKNOWN = Text("not stated", "未注明")
PAGE = Text("Page", "第")
PAGE_OF = Text("of", "页，共")
PAGE_END = Text("", "页")

KINDS: dict[Kind, Text] = {
    "rent": Text("Rent of machines", "机器租用"),
    "order": Text("Online order", "线上下单"),
    "purchase": Text("Purchase of machines", "机器采购"),
}
STATUSES: dict[Status, Text] = {
    "stated": Text("Stated", "已标明"),
    "derived": Text("Derived", "推得"),
    "to_confirm": Text("To be confirmed", "待确认"),
}
REMEDIES: dict[Remedy, str] = {"pro_rata": "R1", "replacement": "R2", "termination": "R3"}

LEGEND = Text(
    "★ marks an essential line. A line is stated (by the source and day named), derived, or to be confirmed by the "
    "vendor; ________ is a blank that the vendor fills. R1 to R3 are the remedies of clause C3. GB and TB are decimal, "
    "GiB is 2^30 bytes; the size of a GPU's memory in GB is the size by which the card is sold.",
    "★ 为实质性条款。各条或已标明（注来源与日期），或为推得，或待厂商确认；________ 由厂商填写。"
    "R1–R3 为 C3 各条所列补救。GB、TB 为十进制，GiB 为 2^30 字节；显存的 GB 为显卡标称容量。",
)
LEGEND_ORDER = Text(
    "The terms of a provider's web shop are not negotiable: check each line on the provider's own page before "
    "ordering, note page and day, and run the tests while a refund is still possible. ★ marks what must be sure before "
    "the order.",
    "云厂商线上条款不可协商：下单前逐条在厂商页面核对并记录页面与日期，"
    "在可退款期内完成测试。★ 为下单前必须确认的事项。",
)
VENDORS = Text(
    "This document names {count} vendors; with --provider NAME it is written for one of them.",
    "本文件涉及 {count} 家厂商；以 --provider 名称 可为单家出具。",
)
PARTS = Text("Purchases", "采购清单")
PART = Text("{id} {kind}: {machines} × {machine}", "{id} {kind}：{machine} × {machines} 台")
SCHEDULE = Text("Price schedule of {id}", "{id} 价格明细")
TESTS = Text("Acceptance tests of {id}", "{id} 验收方法")
TESTS_ORDER = Text("Tests of {id}, within the refund period", "{id} 测试（可退款期内完成）")
HOST_REPORT = Text("Host report signed by the vendor: ", "厂商签署的宿主机报告：")
NO_COMMAND = Text("tool named by the vendor", "厂商指明的工具")
COMMON = Text("Clauses for all parts", "通用条款")
DEVIATIONS = Text("Annex A: deviation table", "附件 A：偏离表")
SERIALS = Text("Annex B: serial numbers", "附件 B：序列号清单")
PROMISES = Text("Annex C: register of oral promises", "附件 C：口头承诺登记表")
SIGNATURES = Text("Signatures", "签署")
BUYER, VENDOR = Text("Buyer", "买方（甲方）"), Text("Vendor", "厂商（乙方）")
SIGN_ROWS: tuple[Text, ...] = (
    Text("Name and seal", "名称（盖章）"),
    Text("Authorized signatory", "授权代表（签字）"),
    Text("Date", "日期"),
)

NUMBER, REQUIREMENT, VALUE = Text("No.", "序号"), Text("Requirement", "条款"), Text("Value", "数值")
SOURCE, REMEDY = Text("Status and source", "状态与来源"), Text("Remedy", "补救")
EVIDENCE, CHECKED = Text("Evidence: source and day", "证据：来源与日期"), Text("Done", "核对")
COMMAND, READS = Text("Command", "命令"), Text("What to read", "读取内容")
THRESHOLD, MARGIN = Text("Threshold", "阈值"), Text("Margin", "余量")
KIND, PLACE, MACHINE = Text("Kind", "类型"), Text("Vendor and place", "厂商与地域"), Text("Machine", "机型")
COUNT, AMOUNT, TERM = Text("Machines", "台数"), Text("Amount", "金额"), Text("Term", "计费方式")
QUANTITY, UNIT_PRICE = Text("Quantity", "数量"), Text("Unit price", "单价")
FROM, TO = Text("From", "自"), Text("To (exclusive)", "至（不含）")
UPFRONT = Text("Up front", "预付")
ANSWER, DEVIATION = Text("Vendor's answer", "厂商应答"), Text("Deviation", "偏离")
SLOT, UUID, SERIAL = Text("Machine / slot", "机器／槽位"), Text("UUID", "UUID"), Text("Serial number", "序列号")
PROMISE, BY_WHOM, CLAUSE = (
    Text("Promise", "承诺内容"),
    Text("By whom, when", "承诺人与时间"),
    Text("Clause", "对应条款"),
)
AS_WRITTEN = Text("as written", "按条款")

UNITS: dict[str, Text] = {
    "core": Text("cores", "核"),
    "lane": Text("lanes", "条"),
    "GPU": Text("GPU", "张"),
    "hour": Text("hour", "小时"),
    "day": Text("day", "天"),
    "week": Text("week", "周"),
    "month": Text("month", "月"),
    "year": Text("year", "年"),
    "term": Text("term", "期"),
    "unit": Text("machine", "台"),
}

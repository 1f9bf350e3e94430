"""The words of every term in both languages: those that all screens and reports use."""

from optimizer.domain.offer import Term
from optimizer.domain.text import Text

TERMS: dict[str, Text] = {
    Term.ON_DEMAND: Text("on demand", "按量"),
    Term.SPOT: Text("spot", "抢占式"),
    Term.DAY: Text("day", "包日"),
    Term.WEEK: Text("week", "包周"),
    Term.MONTH: Text("month", "包月"),
    Term.YEAR: Text("year", "包年"),
    Term.RESERVED_3M: Text("reserved 3 months", "预留 3 个月"),
    Term.RESERVED_6M: Text("reserved 6 months", "预留 6 个月"),
    Term.RESERVED_1Y: Text("reserved 1 year", "预留 1 年"),
    Term.RESERVED_2Y: Text("reserved 2 years", "预留 2 年"),
    Term.RESERVED_3Y: Text("reserved 3 years", "预留 3 年"),
    Term.RESERVED_5Y: Text("reserved 5 years", "预留 5 年"),
    Term.SAVINGS_PLAN_1Y: Text("savings plan 1 year", "节省计划 1 年"),
    Term.SAVINGS_PLAN_3Y: Text("savings plan 3 years", "节省计划 3 年"),
    Term.CAPACITY_BLOCK: Text("capacity block", "容量块"),
    Term.OWNED: Text("owned", "自有"),
}
#: How a machine is taken, after its name: "2 × X by the month".
TAKEN: dict[str, Text] = {
    Term.ON_DEMAND: Text("by the hour", "按量"),
    Term.SPOT: Text("on spot", "抢占式"),
    Term.DAY: Text("by the day", "包日"),
    Term.WEEK: Text("by the week", "包周"),
    Term.MONTH: Text("by the month", "包月"),
    Term.YEAR: Text("by the year", "包年"),
    Term.RESERVED_3M: Text("reserved for 3 months", "预留 3 个月"),
    Term.RESERVED_6M: Text("reserved for 6 months", "预留 6 个月"),
    Term.RESERVED_1Y: Text("reserved for 1 year", "预留 1 年"),
    Term.RESERVED_2Y: Text("reserved for 2 years", "预留 2 年"),
    Term.RESERVED_3Y: Text("reserved for 3 years", "预留 3 年"),
    Term.RESERVED_5Y: Text("reserved for 5 years", "预留 5 年"),
    Term.SAVINGS_PLAN_1Y: Text("under a 1-year savings plan", "1 年节省计划"),
    Term.SAVINGS_PLAN_3Y: Text("under a 3-year savings plan", "3 年节省计划"),
    Term.CAPACITY_BLOCK: Text("as a capacity block", "容量块"),
}
BARE_METAL = Text("bare metal for a term", "裸金属（包期）")

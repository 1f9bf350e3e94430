"""What the headline says where something comes before cost."""

from optimizer.domain.text import Text

PROVEN_EARLIEST = Text(
    "No plan within the limits ends earlier; proven cheapest of those that end by then: bound {bound}, gap 0.",
    "在限制内没有更早完成的方案；在同样按时完成的方案中已证明费用最低：下界 {bound}，差距 0。",
)
EARLIEST_NOT_PROVEN = Text(
    "Time comes first (--objective time), but whether a plan can end earlier was not settled within the time limit.",
    "以时间为先（--objective time），但在时限内未能确认是否有更早完成的方案。",
)

"""What habits of buying would pay: the words beside a plan."""

from optimizer.domain.text import Text

HABITS_TITLE = Text("What other ways of choosing would pay", "换别的选法要花多少")
HABITS: dict[str, Text] = {
    "cheapest_hour": Text("Cheapest by the hour of what physically fits", "装得下的机器中每小时最便宜的"),
    "catalog_tool": Text("A price list sorted by price, same number of GPUs", "同样 GPU 数，价目表上单价最低的"),
}
HABIT = Text("{habit}: {description}, {cost}; {verdict}", "{habit}：{description}，{cost}；{verdict}")
HABIT_AT_LEAST = Text(
    "{habit}: {description}, at least {cost}; {verdict}", "{habit}：{description}，至少 {cost}；{verdict}"
)
HABIT_ALONE = Text("{habit}: {verdict}", "{habit}：{verdict}")
BREAKS = Text("not for this work: it breaks {rules}", "不适合这项工作：违反 {rules}")
UNPRICED = Text("no saving is stated: no price there for {what}", "当地缺价（{what}），不计节省")
PLAN_UNPRICED = Text(
    "no saving is stated, since the plan itself leaves out what has no price", "本方案有缺价项目未计入，不计节省"
)
SAME = Text("the same cost as the plan", "与本方案费用相同")
CHEAPER = Text("the plan is {difference} ({percent}) cheaper", "本方案便宜 {difference}（{percent}）")
DEARER = Text("the plan is {difference} ({percent}) dearer", "本方案贵 {difference}（{percent}）")
STATES: dict[str, Text] = {
    "no_plan": Text("nothing that it picks does the work in time", "所选机器都不能按时完成"),
    "late": Text("not worked out within the time", "未能在时限内算出"),
    "refused": Text("no figure: what it picks does not pass the checks", "不列金额：所选方案未通过核验"),
}

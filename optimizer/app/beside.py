"""What may stand beside a plan when it is asked for: frontier, sensitivity, break-even surface."""

from dataclasses import dataclass, field
from typing import Any

from optimizer.domain.plan import Plan
from optimizer.domain.progress import tell_step
from optimizer.domain.text import Text
from optimizer.planning.pipeline import Planner
from optimizer.planning.search import Outcome

FRONTIER = Text("the plan is found; cost against last finish", "方案已找到；正在求费用与完工日的前沿")
SENSITIVITY = Text("the plan is found; how far inputs may move", "方案已找到；正在求各项输入可变动的范围")
BREAK_EVEN = Text("the plan is found; comparing terms", "方案已找到；正在比较租期")


@dataclass
class Beside:
    """Questions about one plan, answered with the planner that made it; `surface` is the answer of breakeven."""

    frontier: bool = False
    sensitivity: bool = False
    breakeven: bool = False
    surface: dict[str, Any] | None = field(default=None)

    def __call__(self, planner: Planner, plan: Plan, outcome: Outcome) -> Plan:
        """The plan with what was asked for; re-solves say nothing beside a plan that is not proven itself."""
        is_proven = plan.status != "feasible"
        if self.frontier and not is_proven:
            plan = plan.model_copy(update={"frontier_complete": False})
        elif self.frontier:
            from optimizer.app.frontier import with_frontier

            tell_step(FRONTIER, solves=True)
            plan = with_frontier(planner, plan)
        if self.sensitivity:
            from optimizer.app.sensitivity import SECONDS, with_sensitivity

            tell_step(SENSITIVITY, solves=True)
            plan = with_sensitivity(planner, plan, outcome, SECONDS if is_proven else 0.0)
        if self.breakeven and plan.status != "infeasible":
            from optimizer.app.breakeven import BreakEven
            from optimizer.explain.breakeven import breakeven

            tell_step(BREAK_EVEN)
            self.surface = BreakEven(breakeven(planner, outcome=outcome), planner).to_json()
        return plan

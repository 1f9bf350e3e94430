"""One call that solves a PuLP program: HiGHS where highspy is installed, else CBC; read by `sol_status` only.

PuLP's `status` says "Optimal" for any plan found before the clock stopped; only `sol_status` tells proven (1) from
merely found (2). The pinned version of HiGHS writes nothing (docs/adr/0040).
"""

import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import pulp

try:
    import highspy
except ImportError:
    highspy = None

ABSOLUTE_GAP = 0.001  # currency: a tenth of what counts as proven
RELATIVE_GAP = 1e-7  # a tenth of what counts as proven

Status = Literal["optimal", "feasible", "infeasible", "none"]
Incumbent = Callable[[list[float], float, float], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a solve ended; `bound` in the unit of the objective, None where the solver gives none."""

    status: Status
    bound: float | None


@dataclass(slots=True)
class Watch:
    """What a solve reports and obeys: `on_incumbent(values by column order, objective, bound)`, `stop` ends it."""

    on_incumbent: Incumbent | None = None
    on_bound: Callable[[float, float], None] | None = None
    stop: bool = False


def solve_lp(
    lp: Any,
    seconds: float,
    threads: int,
    watch: Watch | None = None,
    *,
    first: bool = False,
    presolve: bool = True,
    gap: float = RELATIVE_GAP,
) -> Outcome:
    """Solve the program in place (column values in `varValue`), within about `seconds` of wall time.

    `first`: stop at the first plan found (for questions of yes or no). Without `presolve` HiGHS solves the relaxation
    at once: three to five times quicker where that is whole already, as it mostly is among tied plans. `gap`: how near
    to its bound a plan is good enough, as a share of it.
    """
    watch = watch or Watch()
    if highspy is None:
        return _solve_cbc(lp, seconds, threads, gap, first=first)
    options: dict[str, Any] = {"gapRel": gap} if presolve else {"gapRel": gap, "presolve": "off"}
    if first:
        options["mip_max_improving_sols"] = 1
    return _solve_highs(lp, seconds, threads, watch, options)


INSIDE = {"solver": "ipm", "run_crossover": "off"}


def solve_relaxation(lp: Any, seconds: float, threads: int, watch: Watch, *, vertex: bool = False) -> float | None:
    """The least objective with fractions allowed (factors in `pi`); None when infeasible or out of time.

    HiGHS stops inside the optimal face (interior point without crossover): factors from there lie on many rows instead
    of few, and call for fewer wrong columns. At a `vertex` (simplex) they are exact but for rounding.
    """
    if highspy is None:
        lp.solve(_cbc(mip=False, timeLimit=max(seconds, 0.01)))
    else:
        until = time.monotonic() + seconds
        _run_highs(lp, watch, seconds, threads, {"mip": False, **({} if vertex else INSIDE)})
        if not vertex and lp.sol_status not in (pulp.LpSolutionOptimal, pulp.LpSolutionInfeasible):
            _run_highs(lp, watch, until - time.monotonic(), threads, {"mip": False})
    return float(pulp.value(lp.objective)) if lp.sol_status == pulp.LpSolutionOptimal else None


def _solve_cbc(lp: Any, seconds: float, threads: int, gap: float, *, first: bool) -> Outcome:
    options = ["maxSolutions 1"] if first else []
    gaps = {"gapAbs": ABSOLUTE_GAP, "gapRel": gap}
    lp.solve(_cbc(timeLimit=max(seconds, 0.01), threads=threads, options=options, **gaps))
    status = _status(lp.sol_status)
    if lp.status == pulp.LpStatusInfeasible and lp.sol_status == pulp.LpSolutionNoSolutionFound:
        status = "infeasible"  # CBC's words "Integer infeasible", which PuLP's sol_status does not know
    value = pulp.value(lp.objective)
    return Outcome(status, value - ABSOLUTE_GAP if status == "optimal" and value is not None else None)


def _cbc(**options: Any) -> Any:
    with warnings.catch_warnings():  # the pinned PuLP bundles CBC, and says that its next version will not
        warnings.simplefilter("ignore", DeprecationWarning)
        return pulp.PULP_CBC_CMD(msg=False, **options)


def _status(sol_status: int) -> Status:
    if sol_status == pulp.LpSolutionOptimal:
        return "optimal"
    if sol_status == pulp.LpSolutionIntegerFeasible:
        return "feasible"
    return "infeasible" if sol_status == pulp.LpSolutionInfeasible else "none"


def _solve_highs(lp: Any, seconds: float, threads: int, watch: Watch, options: dict[str, Any]) -> Outcome:
    columns = _run_highs(lp, watch, seconds, threads, {"gapAbs": ABSOLUTE_GAP, **options})
    info = lp.solverModel.getInfo()
    has_integers = any(column.cat == pulp.LpInteger for column in columns)
    bound = info.mip_dual_bound if has_integers else info.objective_function_value
    return Outcome(_status(lp.sol_status), _finite(bound))


_here = threading.local()
_one_at_a_time = threading.Lock()


def _run_highs(lp: Any, watch: Watch, seconds: float, threads: int, options: dict[str, Any]) -> list[Any]:
    """Run HiGHS through PuLP; the columns in HiGHS's order.

    Each thread that calls it has a pool of its own, which keeps its first size until it is reset: another size fails
    at once.
    """
    solver = _highs_class()(watch, msg=False, timeLimit=max(seconds, 0.01), threads=threads, **options)
    with _one_at_a_time:
        if getattr(_here, "threads", threads) != threads:
            highspy.Highs.resetGlobalScheduler(True)
        _here.threads = threads
    lp.solve(solver)
    return list(solver.columns)


def _finite(value: float) -> float | None:
    return value if abs(value) < highspy.kHighsInf else None


def _highs_class() -> Any:
    """PuLP's HiGHS with the model handed over in two calls instead of one a row, and with callbacks."""
    import numpy as np

    class QuickHighs(pulp.HiGHS):  # type: ignore[misc]
        def __init__(self, watch: Watch, **options: Any) -> None:
            super().__init__(**options)
            self.watch = watch
            self.columns: list[Any] = []

        def buildSolverModel(self, lp: Any) -> None:  # noqa: N802 - PuLP's name
            self.columns = lp.variables()
            _columns_to_highs(lp, self.columns, self.mip, np)
            _rows_to_highs(lp, np)
            _start_to_highs(lp, self.columns)

        def callSolver(self, lp: Any) -> None:  # noqa: N802 - PuLP's name
            _listen(lp.solverModel, self.watch)
            lp.solverModel.run()

        def findSolutionValues(self, lp: Any) -> tuple[int, int]:  # noqa: N802 - PuLP's name
            """PuLP's own knows no solution limit and calls an interrupted solve without any plan feasible."""
            _values_from_highs(lp, self.columns)
            return _statuses(lp.solverModel)

    return QuickHighs


def _columns_to_highs(lp: Any, columns: list[Any], mip: bool, np: Any) -> None:
    infinity = highspy.kHighsInf
    for index, column in enumerate(columns):
        column.index = index
    cost = np.array([lp.objective.get(column, 0.0) for column in columns], dtype=float)
    lower = np.array([-infinity if c.lowBound is None else c.lowBound for c in columns], dtype=float)
    upper = np.array([infinity if c.upBound is None else c.upBound for c in columns], dtype=float)
    empty = np.array([], dtype=np.int32)
    number = len(columns)
    lp.solverModel.addCols(
        number, cost, lower, upper, 0, np.zeros(number, dtype=np.int32), empty, np.array([], dtype=float)
    )
    whole = [c.index for c in columns if c.cat == pulp.LpInteger]
    if mip and whole:
        kind = np.full(len(whole), int(highspy.HighsVarType.kInteger), dtype=np.uint8)
        lp.solverModel.changeColsIntegrality(len(whole), np.array(whole, dtype=np.int32), kind)


def _rows_to_highs(lp: Any, np: Any) -> None:
    infinity = highspy.kHighsInf
    lower: list[float] = []
    upper: list[float] = []
    starts: list[int] = []
    indices: list[int] = []
    values: list[float] = []
    for position, row in enumerate(lp.constraints()):
        row.index = position
        low, high = row.getLb(), row.getUb()
        lower.append(-infinity if low is None else low)
        upper.append(infinity if high is None else high)
        starts.append(len(indices))
        for column, value in row.items():
            if value:
                indices.append(column.index)
                values.append(value)
    if lower:
        lp.solverModel.addRows(
            len(lower),
            np.array(lower, dtype=float),
            np.array(upper, dtype=float),
            len(indices),
            np.array(starts, dtype=np.int32),
            np.array(indices, dtype=np.int32),
            np.array(values, dtype=float),
        )


def _values_from_highs(lp: Any, columns: list[Any]) -> None:
    solution = lp.solverModel.getSolution()
    for column, value in zip(columns, solution.col_value, strict=True):
        column.varValue = value
    if solution.dual_valid:
        for column, value in zip(columns, solution.col_dual, strict=True):
            column.dj = value
        for row, value in zip(lp.constraints(), solution.row_dual, strict=True):
            row.pi = value


def _statuses(highs: Any) -> tuple[int, int]:
    """PuLP's (status, sol_status) of a HiGHS run."""
    kinds = highspy.HighsModelStatus
    status = highs.getModelStatus()
    if status in (kinds.kOptimal, kinds.kModelEmpty):
        return pulp.LpStatusOptimal, pulp.LpSolutionOptimal
    if status in (kinds.kInfeasible, kinds.kUnboundedOrInfeasible):
        return pulp.LpStatusInfeasible, pulp.LpSolutionInfeasible
    if highs.getInfo().primal_solution_status == int(highspy.SolutionStatus.kSolutionStatusFeasible):
        return pulp.LpStatusOptimal, pulp.LpSolutionIntegerFeasible
    return pulp.LpStatusNotSolved, pulp.LpSolutionNoSolutionFound


def _start_to_highs(lp: Any, columns: list[Any]) -> None:
    """A plan found before, as the first one, when every column carries a value."""
    values = [column.varValue for column in columns]
    if values and all(value is not None for value in values):
        solution = highspy.HighsSolution()
        solution.col_value = [float(value) for value in values]
        lp.solverModel.setSolution(solution)


def _listen(highs: Any, watch: Watch) -> None:
    def better(event: Any) -> None:
        if watch.on_incumbent is not None:
            data = event.data_out
            watch.on_incumbent(list(data.mip_solution), data.objective_function_value, data.mip_dual_bound)

    def check(event: Any) -> None:
        data = event.data_out
        if watch.on_bound is not None:
            watch.on_bound(data.mip_primal_bound, data.mip_dual_bound)
        if watch.stop:
            event.interrupt()

    if watch.on_incumbent is not None:
        highs.cbMipImprovingSolution += better
    highs.cbMipInterrupt += check
    highs.cbSimplexInterrupt += check

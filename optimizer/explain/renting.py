"""The cheapest plan that has at least one unit on a term in use, whichever workloads share it, in one solve (ADR 0100).

A unit is paid as a whole, so a plan uses a term as soon as anything runs on a unit of it. That is asked of the program
itself (`Problem.asked_terms`), over the same pools as every plan: nothing is split off, all work may share the unit.
"""

from dataclasses import replace

from optimizer.domain.offer import Term
from optimizer.explain.matching import sells
from optimizer.explain.using import HeldSearch
from optimizer.planning.assembly import Assembly, Bought
from optimizer.planning.bounds import Bounds
from optimizer.planning.candidates import Candidate
from optimizer.planning.search import Admission, Search
from optimizer.program.problem import Problem


class TermSearch(HeldSearch):
    """Searches a case for plans in which at least one unit on a term is had and in use."""

    def __init__(self, search: Search, term: Term) -> None:
        super().__init__(search)
        self.term = term

    def _alone(self, admitted: Admission) -> float | None:
        """What each workload costs alone may have no such unit, so it bounds nothing."""
        return None

    def _promising(self, work_bounds: list[Bounds], admitted: Admission, most: int) -> list[Bounds]:
        wanted = [bounds for bounds in work_bounds if self._can_use(bounds.candidate)]
        found = [*super()._promising(work_bounds, admitted, most), *super()._promising(wanted, admitted, most)]
        return list({bounds.candidate.index: bounds for bounds in found}.values())

    def _unserved(self, kept: list[Candidate]) -> tuple[int, ...]:
        every = tuple(range(len(self.case.file.workloads)))
        return super()._unserved(kept) if any(map(self._can_use, kept)) else every

    def _problem_of(self, assembly: Assembly) -> Problem:
        mine = (identity for identity, bought in assembly.bought.items() if self._is_on_term(bought))
        return replace(assembly.problem, asked_terms=frozenset(mine))

    def _can_use(self, candidate: Candidate) -> bool:
        return not candidate.is_spot and sells(candidate.supply, self.term)

    def _is_on_term(self, bought: Bought) -> bool:
        return (Term.OWNED if bought.rent is None else bought.rent.term) is self.term

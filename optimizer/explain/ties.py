"""Which level of the tie order decided between two plans of the same cost (design, section 3)."""

from optimizer.explain.replan import chosen, placements_of
from optimizer.planning.search import Outcome

#: Levels in their order; "lexical" is what is left: the first in order of workload, pool, nodes, layout, term, start.
LEVELS = ("below_strict", "unknowns", "unit_days", "node_days", "providers", "generation")


def lost_on(winner: Outcome, loser: Outcome) -> str:
    """The first level at which the loser has more than the winner; "lexical" when they are alike at all."""
    first, second = measures(winner), measures(loser)
    return next((level for level in LEVELS if second[level] > first[level]), "lexical")


def measures(outcome: Outcome) -> dict[str, int]:
    """What an outcome has at each level; less is preferred (generation: release year weighed by node-days)."""
    placements = placements_of(outcome)
    node_days = {placement.id: placement.nodes * (placement.end - placement.start) for placement in placements}
    placed = {} if outcome.assembly is None else outcome.assembly.placed
    years = {identity: placed[identity].candidate.supply.gpu.release_year or 0 for identity in node_days}
    return {
        "below_strict": sum(placement.below_strict for placement in placements),
        "unknowns": sum(placement.unknowns for placement in placements),
        "unit_days": _unit_days(outcome),
        "node_days": sum(node_days.values()),
        "providers": len({candidate.supply.provider for candidate in chosen(outcome)}),
        "generation": sum(days * years[identity] for identity, days in node_days.items()),
    }


def _unit_days(outcome: Outcome) -> int:
    if outcome.assembly is None or outcome.solution is None:
        return 0
    terms = {term.id: term for term in outcome.assembly.problem.unit_terms}
    return sum(
        (terms[identity].end - terms[identity].usable_from) * count for identity, count in outcome.solution.units
    )

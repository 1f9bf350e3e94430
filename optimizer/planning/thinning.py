"""Which start days of a rent can matter.

Claim. Let a pool's needs change only on "borders" (first days, last days and ends of placements). Some optimal plan
has every rent start on a border, whole terms after one, or whole terms before one.
Proof. Take an optimal plan and a maximal chain of rents of one unit, each starting where the one before ends.
Shifting the whole chain by a day moves its end by a day (calendar months aside, see below), so the cost of what is
then served by the hour changes by a constant as long as neither the chain's start nor its end crosses a border;
one of the two directions does not cost more. Shift until the start or the end lies on a border.
With one workload whose days all cost alike, shifting left never costs more, so borders plus whole terms suffice.
A monthly budget adds the last day of each cash month: shifting within a month moves no payment to another month.
Calendar months clamp at month ends (31 January + 1 month): a shift across such a date can move the end by no day
instead of one. Starts whose chain ends exactly on a border are searched with that clamping, which leaves only
chains that clamp in their middle uncovered; docs/adr/0005 states it.
"""

from collections.abc import Callable, Iterable

Ends = Callable[[int], int]


def candidate_starts(
    borders: Iterable[int],
    ends_of: tuple[Ends, ...],
    first: int,
    last: int,
    *,
    both_ways: bool,
    extra: Iterable[int] = (),
) -> tuple[int, ...]:
    """Start days within [first, last) that can matter for rents whose ends are given by `ends_of`.

    `both_ways` adds the days from which whole terms end on a border; `extra` days are added with their chains.
    """
    waiting = [*borders, *extra]
    if both_ways:
        waiting.extend(_ending_on(set(borders), ends_of, first))
    found: set[int] = set()
    while waiting:
        day = waiting.pop()
        if day not in found and first <= day < last:
            found.add(day)
            waiting.extend(ends(day) for ends in ends_of)
    return tuple(sorted(found))


def _ending_on(borders: set[int], ends_of: tuple[Ends, ...], first: int) -> set[int]:
    """Days from which a chain of one kind of rent ends on a border."""
    found: set[int] = set()
    for ends in ends_of:
        waiting = set(borders)
        while waiting:
            fresh = set(_starts_ending_at(waiting.pop(), ends, first)) - found
            found |= fresh
            waiting |= fresh
    return found


def _starts_ending_at(target: int, ends: Ends, first: int) -> list[int]:
    """Days whose rent ends exactly on `target`; month lengths differ by at most three days."""
    guess = target - (ends(target) - target)
    return [day for day in range(max(first, guess - 4), guess + 5) if ends(day) == target]

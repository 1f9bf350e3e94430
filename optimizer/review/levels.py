"""How many machines ran at the same time, and for how long: the shape of use that a rent must fit.

In each charge period the machines of one type are put in order, longest run first; level k is the sum of the k-th
runs. Level sums fall with k, and those of months add up level by level.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from itertools import pairwise

from optimizer.review.machines import BilledMachine

ZERO = Decimal(0)
#: Runs of equal levels: (hours, number of levels), highest first.
Runs = tuple[tuple[Decimal, int], ...]
#: A charge line may say a little more than its period (rounded seconds); beyond this share it is too long.
SLACK = Decimal("1.001")

_Key = tuple[BilledMachine, str, str, date, Decimal]


@dataclass(frozen=True, slots=True)
class Levels:
    """Use of one machine by the hour in one place and calendar month, from charge periods of one length.

    `overlong` counts resources whose lines have more hours than their period.
    """

    machine: BilledMachine
    region: str
    currency: str
    month: date
    length_hours: Decimal
    runs: Runs
    overlong: int = 0


@dataclass
class LevelBook:
    """Collects runs and gives their levels."""

    _periods: dict[_Key, dict[datetime, list[tuple[Decimal, int]]]] = field(default_factory=dict)
    _overlong: dict[_Key, int] = field(default_factory=dict)

    def add(
        self,
        machine: BilledMachine,
        place: tuple[str, str],
        period: tuple[datetime, datetime],
        ran: Iterable[tuple[Decimal, int, bool]],
    ) -> None:
        """What ran of a machine in one charge period: (hours of one resource, resources, whether they have ids).

        `place` is region and currency.
        """
        start, end = period
        length = Decimal((end - start).total_seconds()) / 3600
        key = (machine, *place, start.date().replace(day=1), length)
        runs = self._periods.setdefault(key, {}).setdefault(start, [])
        too_long = length * SLACK
        for hours, count, has_id in ran:
            if hours <= length:
                runs.append((hours, count))
                continue
            runs.extend(whole_machines(hours, count, length))
            if has_id and hours > too_long and length > 0 and not machine.per_gpu:
                self._overlong[key] = self._overlong.get(key, 0) + count

    def levels(self) -> tuple[Levels, ...]:
        """The levels of every machine, place, month and length of period."""
        found = [
            Levels(*key, level_runs(periods.values()), self._overlong.get(key, 0))
            for key, periods in self._periods.items()
        ]
        return tuple(sorted(found, key=_order))


def _order(item: Levels) -> tuple[object, ...]:
    machine = item.machine
    return (machine.provider, machine.instance_type, item.region, item.currency, item.month, item.length_hours)


def whole_machines(hours: Decimal, count: int, length: Decimal) -> list[tuple[Decimal, int]]:
    """(hours, machines): a resource with more hours than its period has stands for several machines."""
    if length <= 0 or hours <= length:
        return [(hours, count)]
    whole = int(hours // length)
    rest = hours - whole * length
    return [(length, whole * count), *([(rest, count)] if rest > 0 else [])]


def level_runs(periods: Iterable[list[tuple[Decimal, int]]]) -> Runs:
    """Level sums by differences: level k gains the k-th longest run of every period."""
    steps: dict[int, Decimal] = {}
    for runs in periods:
        place = 0
        for length, count in sorted(runs, reverse=True):
            steps[place] = steps.get(place, ZERO) + length
            place += count
            steps[place] = steps.get(place, ZERO) - length
    return _runs(steps)


def added(several: Iterable[Runs]) -> Runs:
    """Levels of several months as one: level by level."""
    steps: dict[int, Decimal] = {}
    for runs in several:
        place = 0
        for hours, count in runs:
            steps[place] = steps.get(place, ZERO) + hours
            place += count
            steps[place] = steps.get(place, ZERO) - hours
    return _runs(steps)


def _runs(steps: dict[int, Decimal]) -> Runs:
    found: list[tuple[Decimal, int]] = []
    height = ZERO
    places = sorted(steps)
    for place, after in pairwise(places):
        height += steps[place]
        if found and found[-1][0] == height:
            found[-1] = (height, found[-1][1] + after - place)
        elif height:
            found.append((height, after - place))
    return tuple(found)


def expanded(several: Iterable[Runs]) -> list[Decimal]:
    """Single levels, most used first."""
    return sorted((hours for runs in several for hours, count in runs for _ in range(count)), reverse=True)


def levels_between(every: Sequence[Levels], months: Sequence[date] | None = None) -> list[Decimal]:
    """Levels of one machine over the months given (all of them by default).

    Charge periods of different lengths cannot be laid over each other: each length forms levels of its own.
    """
    by_length: dict[Decimal, list[Runs]] = {}
    for item in every:
        if months is None or item.month in months:
            by_length.setdefault(item.length_hours, []).append(item.runs)
    return expanded(added(several) for several in by_length.values())

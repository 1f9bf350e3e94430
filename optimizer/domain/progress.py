"""What a long run tells while it works: its step, the plan at hand with its proven bound, and solves done.

Whoever wants to show it opens `watched()`; what works tells whoever watches, else nobody. Money is in micros.
Processes of their own (OPTIMIZE_PARALLEL) tell nothing but that a solve of theirs is done.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from optimizer.domain.text import Text


@dataclass(slots=True)
class Progress:
    """The state of a run.

    `is_asked`: whether a search for a cheapest plan is on. `cost` and `bound` are of that search: `None` is no plan yet
    and no bound yet. `total`: independent solves of this step, of which `done` are over.
    """

    step: Text
    is_asked: bool = True
    is_quiet: bool = False
    cost: int | None = None
    bound: int | None = None
    done: int = 0
    total: int | None = None
    has_bounds: bool = True

    @property
    def gap(self) -> float | None:
        """How far the plan at hand can be above the cheapest one, as a fraction of the bound; `None` if unknown."""
        if self.cost is None or self.bound is None:
            return None
        if self.cost <= self.bound:
            return 0.0
        return None if self.bound <= 0 else (self.cost - self.bound) / self.bound


_WATCHED: ContextVar[Progress | None] = ContextVar("progress", default=None)


@contextmanager
def watched(step: Text, *, solves: bool = True) -> Iterator[Progress]:
    """The progress of what runs inside, for one who shows it; without `solves` its searches are not worth telling."""
    progress = Progress(step, is_quiet=not solves)
    token = _WATCHED.set(progress)
    try:
        yield progress
    finally:
        _WATCHED.reset(token)


def tell_step(step: Text, *, solves: bool = False) -> None:
    """The run is at another step; see `watched` for `solves`."""
    progress = _WATCHED.get()
    if progress is not None:
        progress.step, progress.is_asked, progress.is_quiet = step, False, not solves
        progress.cost = progress.bound = progress.total = None


def tell_search() -> None:
    """A search for a cheapest plan begins: no plan yet."""
    progress = _WATCHED.get()
    if progress is not None and not progress.is_quiet:
        progress.is_asked, progress.cost, progress.bound = True, None, None


def tell_costs(cost: int | None, bound: int | None) -> None:
    """The plan at hand and what every plan costs at least, as far as they are known."""
    progress = _WATCHED.get()
    if progress is None or progress.is_quiet:
        return
    if cost is not None and (progress.cost is None or cost < progress.cost):
        progress.cost = cost
    if bound is not None and progress.has_bounds:
        progress.bound = bound if progress.bound is None else max(bound, progress.bound)


@contextmanager
def among_few() -> Iterator[None]:
    """A look at a few of the choices: its plans are plans, its bounds say nothing of the whole search."""
    progress = _WATCHED.get()
    if progress is None:
        yield
        return
    before, progress.has_bounds = progress.has_bounds, False
    try:
        yield
    finally:
        progress.has_bounds = before


@contextmanager
def counted(total: int) -> Iterator[Callable[[int], None]]:
    """Independent solves inside: the function takes how many are over, from whatever thread."""
    progress = _WATCHED.get()

    def tell_done(done: int) -> None:
        if progress is not None:
            progress.done = done

    if progress is not None:
        progress.done, progress.total = 0, total
    try:
        yield tell_done
    finally:
        if progress is not None:
            progress.total = None

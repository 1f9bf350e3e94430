"""Progress of a run on stderr: its step, the seconds, and the present gap, from its first second on.

A terminal shows one line that changes; a file or pipe gets a plain line every ten seconds.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from threading import Event, Thread
from time import monotonic

from optimizer.cli._common import console, warn
from optimizer.domain.progress import Progress, watched
from optimizer.domain.text import Language, Text

FIRST_SECONDS = 1.0
PLAIN_SECONDS = 10.0
SHOWN_SECONDS = 0.25

LINE = Text("{step}, {seconds} s", "{step}，{seconds} 秒")
WITH_NEWS = Text("{line}: {news}", "{line}：{news}")
AND = Text("; ", "；")
NO_PLAN_YET = Text("no plan yet", "尚无方案")
NO_BOUND_YET = Text("a plan, its gap not known yet", "已有方案，差距尚不清楚")
GAP = Text("gap {percent}", "差距 {percent}")
DONE = Text("{done} of {total}", "已完成 {done}/{total}")


@contextmanager
def planning_progress(step: Text, language: Language, *, solves: bool = True) -> Iterator[None]:
    """Show what runs inside; nothing where it is over within a second. `solves`: whether it looks for one plan."""
    over, began = Event(), monotonic()
    with watched(step, solves=solves) as progress:
        said = partial(_said, progress, began, language)
        shown = Thread(target=_show, args=(over, said), daemon=True)
        shown.start()
        try:
            yield
        finally:
            over.set()
            shown.join()


def _said(progress: Progress, began: float, language: Language) -> str:
    return line(progress, monotonic() - began, language)


def line(progress: Progress, seconds: float, language: Language) -> str:
    """One line: the step, the seconds since the run began, and what is known of the plan at hand."""
    said = LINE.say(language, step=progress.step.say(language), seconds=int(seconds))
    news = [one for one in (_done(progress, language), _plan(progress, language)) if one]
    return WITH_NEWS.say(language, line=said, news=AND.say(language).join(news)) if news else said


def _done(progress: Progress, language: Language) -> str:
    return "" if progress.total is None else DONE.say(language, done=progress.done, total=progress.total)


def _plan(progress: Progress, language: Language) -> str:
    if not progress.is_asked or progress.is_quiet:
        return ""
    if progress.cost is None:
        return NO_PLAN_YET.say(language)
    gap = progress.gap
    return NO_BOUND_YET.say(language) if gap is None else GAP.say(language, percent=_percent(gap))


def _percent(gap: float) -> str:
    """A gap as a percentage in two places, never rounded down to nothing."""
    percent = gap * 100
    return "<0.01%" if 0 < percent < 0.01 else f"{percent:.2f}".rstrip("0").rstrip(".") + "%"


def _show(over: Event, said: Callable[[], str]) -> None:
    """Until it is over; a reader of stderr that goes away is no error of the run."""
    with suppress(OSError, ValueError):
        if over.wait(FIRST_SECONDS):
            return
        if sys.stderr.isatty():
            _on_terminal(over, said)
        else:
            _in_lines(over, said)


def _on_terminal(over: Event, said: Callable[[], str]) -> None:
    with console(stderr=True).status(said()) as status:
        while not over.wait(SHOWN_SECONDS):
            status.update(said())


def _in_lines(over: Event, said: Callable[[], str]) -> None:
    warn(said())
    while not over.wait(PLAIN_SECONDS):
        warn(said())

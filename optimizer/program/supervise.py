"""Watch a solve from outside: wall-time limits that hold, Ctrl-C that answers with the best plan so far, progress.

Solvers do not look at the clock in every phase (a presolve ran 167 s under a limit of 12 s), so a large problem is
solved in a child process that can be ended; a small one in a thread of this process, where the solver obeys, because
a child costs about half a second to start.
"""

import multiprocessing
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from optimizer.errors import InternalError
from optimizer.program.check import Choice
from optimizer.program.problem import Limits, Problem, Solution
from optimizer.program.reduce import Reduced, reduce

Progress = Callable[[float, int | None, int | None], None]
Message = tuple[str, Any]

LARGE_RECORDS = 4_000
GRACE_SECONDS = 1.0
TICK_SECONDS = 0.2


@dataclass(slots=True)
class News:
    """What is known of a running solve."""

    choice: Choice | None = None
    cost: int | None = None
    bound: int | None = None
    settling_since: float | None = None
    proven: Solution | None = None
    result: Solution | None = None
    failure: BaseException | None = None


def supervise(problem: Problem, limits: Limits, on_progress: Progress | None, known: Choice | None = None) -> Solution:
    """Run the solve in a thread or a child process and hold it to its limits."""
    began = time.monotonic()
    reduced = reduce(problem, limits, known)
    within = reduced.budget is None or reduced.cost is None or reduced.cost <= reduced.budget
    news = News(reduced.plan, reduced.cost, reduced.bound) if within else News(bound=reduced.bound)
    limits = replace(limits, seconds=max(0.0, limits.seconds - (time.monotonic() - began)))
    worker: Worker = ChildWorker(reduced, limits) if is_large(reduced.problem) else ThreadWorker(reduced, limits)
    interrupted = False
    try:
        while not _over(news, limits, began):
            _take(worker.receive(TICK_SECONDS), news)
            if on_progress is not None and news.result is None:
                on_progress(time.monotonic() - began, news.cost, news.bound)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        worker.end()
    return _answer(news, interrupted=interrupted, seconds=time.monotonic() - began)


def is_large(problem: Problem) -> bool:
    """Whether the solver may leave its limit behind on a problem of this size."""
    return len(problem.placements) + len(problem.unit_terms) > LARGE_RECORDS


def _over(news: News, limits: Limits, began: float) -> bool:
    if news.result is not None or news.failure is not None:
        return True
    now = time.monotonic()
    if news.settling_since is not None:
        return now > news.settling_since + limits.tie_seconds + GRACE_SECONDS
    return now > began + limits.seconds + GRACE_SECONDS


def _take(message: Message | None, news: News) -> None:
    if message is None:
        return
    kind, content = message
    if kind == "plan":
        choice, cost, bound = content
        if news.cost is None or cost <= news.cost:
            news.choice, news.cost = choice, cost
        news.bound = bound if bound is not None else news.bound
    elif kind == "bound":
        news.bound = content
    elif kind == "settling":
        news.settling_since, news.proven = time.monotonic(), content
        news.bound = content.bound
    elif kind == "result":
        news.result = content
    elif kind == "failure":
        news.failure = content


def _answer(news: News, *, interrupted: bool, seconds: float) -> Solution:
    if news.failure is not None:
        raise news.failure
    if news.result is not None:
        return replace(news.result, seconds=seconds)
    if news.proven is not None and not interrupted:  # settling ties outran its allowance
        return replace(news.proven, seconds=seconds)
    if news.choice is None:
        return Solution("interrupted" if interrupted else "no_plan_in_time", bound=news.bound, seconds=seconds)
    return Solution(
        status="interrupted" if interrupted else "feasible",
        cost=news.cost,
        bound=min(news.bound or 0, news.cost or 0),
        placements=news.choice.placements,
        units=news.choice.units,
        spend=news.choice.spend,
        services=news.choice.services,
        seconds=seconds,
    )


def _work(reduced: Reduced, limits: Limits, send: Callable[[Message], None], watch: Any = None) -> None:
    """Solve and send news; every failure becomes a message."""
    from optimizer.program.engine import Report, run
    from optimizer.program.solver import Watch

    report = Report(
        plan=lambda choice, cost, bound: send(("plan", (choice, cost, bound))),
        bound=_every(0.5, lambda bound: send(("bound", bound))),
        settling=lambda solution: send(("settling", solution)),
        watch=watch or Watch(),
    )
    try:
        send(("result", run(reduced, limits, report)))
    except Exception as error:  # noqa: BLE001 - handed to the caller, who raises it
        send(("failure", error))


def _every(seconds: float, send: Callable[[int | None], None]) -> Callable[[int | None, int | None], None]:
    """Pass on bounds at most once in `seconds`."""
    last = [time.monotonic()]

    def take(_: int | None, bound: int | None) -> None:
        if bound is not None and time.monotonic() - last[0] >= seconds:
            last[0] = time.monotonic()
            send(bound)

    return take


class ThreadWorker:
    """A solve in a thread of this process; ended by asking the solver to stop."""

    def __init__(self, reduced: Reduced, limits: Limits) -> None:
        from optimizer.program.solver import Watch

        self.watch = Watch()
        self.news: queue.Queue[Message] = queue.Queue()
        arguments = (reduced, limits, self.news.put, self.watch)
        self.thread = threading.Thread(target=_work, args=arguments, daemon=True)
        self.thread.start()

    def receive(self, seconds: float) -> Message | None:
        """The next message, or None after that time."""
        try:
            return self.news.get(timeout=seconds)
        except queue.Empty:
            return None

    def end(self) -> None:
        """Ask the solver to stop; it does within milliseconds on problems of this size."""
        self.watch.stop = True
        self.thread.join(GRACE_SECONDS)


class ChildWorker:
    """A solve in a process of its own, which is ended when its time is over."""

    def __init__(self, reduced: Reduced, limits: Limits) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, there = context.Pipe(duplex=False)
        self.process = context.Process(target=_child, args=(there, reduced, limits), daemon=True)
        with _interrupts_held():
            self.process.start()
        there.close()

    def receive(self, seconds: float) -> Message | None:
        """The next message, or None after that time."""
        try:
            return self.connection.recv() if self.connection.poll(seconds) else None
        except EOFError:
            return "failure", InternalError("the solver's process ended without an answer (out of memory?)")

    def end(self) -> None:
        """End the process, whatever it does."""
        self.process.kill()
        self.process.join()
        self.connection.close()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back while a child starts: it inherits that, so that the signal stays its parent's business."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # begins once, and would let the signal through again
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


Worker = ThreadWorker | ChildWorker


def _child(connection: Any, reduced: Reduced, limits: Limits) -> None:
    """In the child: Ctrl-C is the parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _work(reduced, limits, connection.send)

"""Independent solves, one after another by default, on all cores or an existing cluster engine by configuration.

joblib decides where they run: whatever `joblib.parallel_config` is active, or what `OPTIMIZE_PARALLEL` names
(docs/howto/parallel.md). Every task is a plain function of plain records, so that it can travel.
"""

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from optimizer.domain.progress import counted
from optimizer.errors import InputError, Problem

Result = TypeVar("Result")
VARIABLE = "OPTIMIZE_PARALLEL"
FEEDER = "QueueFeederThread"  # hands tasks to the workers
FEEDER_SECONDS = 1.0
WITHOUT = "For all cores: loky alone; for this process only: leave it unset"
EXPECTED = "loky, loky:4, dask (a local cluster) or dask:tcp://host:8786"


def run_all(tasks: Iterable[Callable[[], Result]]) -> list[Result]:
    """The results of all tasks, in their order; whoever watches hears how many are done."""
    from joblib import delayed

    every = list(tasks)
    with configured(), counted(len(every)) as tell_done:
        return list(_telling(tell_done)(delayed(task)() for task in every))


def _telling(tell_done: Callable[[int], None]) -> Any:
    """joblib's runner, which tells how many tasks are done, whatever back end runs them."""
    from joblib import Parallel

    class Telling(Parallel):  # type: ignore[misc]
        def print_progress(self) -> None:
            tell_done(self.n_completed_tasks)

    return Telling()


def end_workers() -> None:
    """End the processes that loky keeps for the next task, before a command ends; without any, nothing happens.

    loky ends them itself when the interpreter shuts down, which a command that leaves at once does not wait for.
    They are killed first, since a worker that Ctrl-C caught half-way need not hear of a shutdown.
    """
    kept = sys.modules.get("joblib.externals.loky.reusable_executor")
    executor = None if kept is None else vars(kept).get("_executor")
    if kept is None or executor is None:
        return
    _kill_workers()
    executor.terminate(kill_workers=True)
    vars(kept)["_executor"] = executor = None
    for thread in threading.enumerate():
        if thread.name == FEEDER:
            thread.join(FEEDER_SECONDS)
    gc.collect()  # its semaphores are unlinked with it, once its threads have let go of them


def _kill_workers() -> None:
    from multiprocessing import active_children

    stop = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL
    for process in active_children():
        if process.name.startswith("LokyProcess") and process.pid is not None:
            with suppress(ProcessLookupError):  # it ended by itself meanwhile
                os.kill(process.pid, stop)


def engine() -> tuple[str, str]:
    """The back end that `OPTIMIZE_PARALLEL` names and what it says of it; empty where it is not set.

    Raises:
        InputError: a back end that is not known, or no processes at all.
    """
    text = os.environ.get(VARIABLE, "").strip()
    name, _, rest = text.partition(":")
    if not text or name == "dask" or (name == "loky" and (rest == "" or (rest.isdecimal() and int(rest) > 0))):
        return name, rest
    raise InputError(Problem(VARIABLE, "", repr(text), EXPECTED, None, WITHOUT if name == "loky" else None))


@contextmanager
def configured() -> Iterator[None]:
    """The back end that `OPTIMIZE_PARALLEL` names; without it the one that is active already.

    Raises:
        InputError: a back end that is not known, or whose library is not installed.
    """
    name, rest = engine()
    if not name:
        yield
    elif name == "dask":
        with _dask(rest):
            yield
    else:
        from joblib import parallel_config

        with parallel_config(backend="loky", n_jobs=int(rest or -1)):
            yield


@contextmanager
def _dask(address: str) -> Iterator[None]:
    """A Dask cluster: the one at an address, or a local one for the time of the block."""
    try:
        from distributed import Client
    except ImportError as error:
        hint = 'Install it: pip install "gpu-cost-optimizer[cluster]"'
        raise InputError(Problem(VARIABLE, "", "dask", "an installed library", None, hint)) from error
    from joblib import parallel_config

    client: Any = Client
    with client(address) if address else client(processes=True, dashboard_address=None), parallel_config("dask"):
        yield

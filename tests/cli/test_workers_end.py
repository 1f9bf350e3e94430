"""No process outlives the command: loky's workers are ended with it, in real processes (their session tells them)."""

import os
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads processes from /proc")

#: Runs the command line; its work is two tasks in two processes; a thread may stay, so that it leaves at once.
COMMAND = """
import os, signal, sys, threading
from functools import partial
from optimizer.cli import _main
from optimizer.explain.parallel import run_all
class Command:
    def main(self, **_):
        if STAYS:
            threading.Thread(target=threading.Event().wait, daemon=True).start()
        workers = set(run_all([os.getpid] * 8))
        assert workers and os.getpid() not in workers
        print(*workers, flush=True)
        run_all([WORK] * 2)
        return 0
_main._group = Command
_main.main([])
"""


def in_session(session: int) -> list[str]:
    """Command lines of the processes of a session (field 6 of /proc/PID/stat, after the name in brackets)."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] != "Z":
                found.append((entry / "cmdline").read_text().replace("\0", " ")[:120])
        except OSError:
            continue  # it ended while we looked
    return found


@pytest.mark.parametrize("stays", [False, True])
@pytest.mark.parametrize(
    ("work", "code", "said"),
    [
        ("os.getpid", 0, ""),
        ("partial(int, 'x')", 1, "internal error"),  # any error inside a task
        # Ctrl-C, to the whole group as a terminal sends it, and in two workers: twice.
        ("partial(os.killpg, 0, signal.SIGINT)", 130, "interrupted"),
    ],
)
def test_no_worker_stays(work: str, code: int, said: str, stays: bool) -> None:
    ran = subprocess.Popen(
        [sys.executable, "-c", COMMAND.replace("WORK", work).replace("STAYS", str(stays))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "OPTIMIZE_PARALLEL": "loky:2", "OPTIMIZE_LANG": "en"},
    )
    out, err = ran.communicate(timeout=60)
    assert (ran.returncode, len(out.split()) > 0) == (code, True), err
    assert said in err
    if code == 0 and not stays:
        assert "Traceback" not in err  # what its tracker swept up behind a killed worker it may say
    # Trackers of temporary files end by themselves once the pipe to the command is closed.
    until = monotonic() + 10
    while (left := in_session(ran.pid)) and monotonic() < until:
        sleep(0.05)
    assert left == []

"""Hard times: killed processes, a full disk, keys that must never show."""

import json
import logging
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import responses

from optimizer.errors import InputError
from providers._kit.contract import FetchContext, Outcome
from tests.providers.conftest import FAKE_KEYS
from tests.refresh import fakes
from tests.refresh.conftest import House

ROOT = Path(__file__).parents[2]
KILLS = 60


def test_a_refresh_killed_at_any_moment_leaves_before_or_after(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.refresh.killed", str(tmp_path / "catalog"), str(KILLS), "20261130"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 0, run.stderr[-2000:]
    counts = json.loads(run.stdout)
    assert counts["before"] + counts["after"] + counts["ended"] == KILLS
    assert counts["before"] >= 10, "the kills came too late to prove anything"


def test_a_full_disk_leaves_everything_as_it_was(house: House) -> None:
    """The kernel refuses to let files grow, as on a full disk: in a child process, since the limit is the process's."""
    house.behaviours = {"a": fakes.giving(fakes.offer("a", "x", "1"))}
    house.refresh()
    before = house.files()
    house.behaviours = {"a": fakes.giving(*fakes.many("a", 2000, "2"))}
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        try:
            house.refresh(accept=True)
        except InputError as error:
            os._exit(0 if "File too large" in str(error) or "could not be written" in str(error) else 3)
        os._exit(4)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert house.files() == before


def test_a_folder_that_cannot_be_made_is_named(house: House) -> None:
    house.root.parent.joinpath("catalog").write_text("a file in the way")
    house.behaviours = {"a": fakes.giving(fakes.offer("a", "x", "1"))}
    with pytest.raises(InputError, match="catalog"):
        house.refresh()


class TestKeysNeverShow:
    KEY = "planted-key-0123456789"

    def test_not_in_errors_logs_or_files(self, house: House, caplog: pytest.LogCaptureFixture) -> None:
        def leaky(context: FetchContext) -> Iterator[Outcome]:
            key = context.secrets.need("a", "A_KEY")
            context.logger.error("asking with %s", key)
            raise ValueError(f"bad answer for key {key}")
            yield

        house.behaviours = {"a": leaky, "b": fakes.giving(fakes.offer("b", "x", "1"))}
        with caplog.at_level(logging.DEBUG):
            result = house.refresh(environment={"A_KEY": self.KEY})
        assert "asking with ***" in caplog.text
        assert "bad answer for key ***" in result.providers[0].reason
        everything = caplog.text + repr(result) + repr(house.files())
        assert self.KEY not in everything

    def test_real_adapters_with_planted_keys(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capfd: pytest.CaptureFixture[str],
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        """Every adapter, its recorded answers, the command line: nothing written or printed holds a key."""
        from optimizer.cli._main import run
        from tests.providers.replays import ROUTES, play

        for name, value in FAKE_KEYS.items():
            monkeypatch.setenv(name, value)
        for name in ("AWS_EC2_METADATA_DISABLED", "NO_COLOR"):
            monkeypatch.setenv(name, "true")
        monkeypatch.setenv("OPTIMIZE_DATA_DIR", str(tmp_path))
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        names = [name for name in ROUTES if name != "aws"]  # boto3 does not go through `responses`
        asked = [option for name in names for option in ("--provider", name)]
        with caplog.at_level(logging.DEBUG), responses.RequestsMock(assert_all_requests_are_fired=False) as web:
            for name in names:
                play(name, web)
            code = run(["catalog", "refresh", *asked, "--json"])
        shown = capfd.readouterr()
        assert code == 0, shown.err
        report = json.loads(shown.out)
        assert {entry["status"] for entry in report["providers"]} == {"published"}
        written = "".join(path.read_bytes().decode("latin-1") for path in tmp_path.rglob("*") if path.is_file())
        for value in FAKE_KEYS.values():
            assert value not in shown.out + shown.err + caplog.text
            assert value not in written
        assert "issued-token-for-the-test" not in written + shown.out + shown.err + caplog.text

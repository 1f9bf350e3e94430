"""A small catalog on disk, a working folder with nothing of this machine's user, and the command line in process."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from optimizer.catalog import shipped_directory
from optimizer.catalog.index import write_index
from optimizer.cli._main import run
from tests.first_use.corpus import BILL_HEADER, BILL_LINE, GOOD
from tests.first_use.world import World

PROVIDERS = ("lambda", "verda")


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


def small_catalog(directory: Path) -> Path:
    """The shipped facts with the offers of two providers."""
    shipped = shipped_directory()
    shutil.copytree(shipped / "facts", directory / "facts")
    shutil.copy(shipped / "rejected.csv", directory / "rejected.csv")
    for provider in PROVIDERS:
        shutil.copytree(shipped / "offers" / provider, directory / "offers" / provider)
    write_index(directory)
    return directory


@pytest.fixture(scope="session")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A catalog folder that plans quickly."""
    return small_catalog(tmp_path_factory.mktemp("catalog") / "small")


@pytest.fixture(scope="session")
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _own_world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, _cache: Path) -> None:
    for name in ("OPTIMIZE_LANG", "NO_COLOR", "FORCE_COLOR", "OPTIMIZE_DEBUG", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("OPTIMIZE_AS_OF", "2026-11-30")
    monkeypatch.setenv("OPTIMIZE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("OPTIMIZE_CACHE_DIR", str(_cache))
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process."""

    def call(*arguments: str | Path) -> Ran:
        capfd.readouterr()
        code = run([str(argument) for argument in arguments])
        said = capfd.readouterr()
        return Ran(code, said.out, said.err)

    return call


@pytest.fixture(scope="session")
def _made(catalog: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a world, planned once."""
    folder = tmp_path_factory.mktemp("world")
    (folder / "w.yaml").write_text(GOOD)
    (folder / "bill.csv").write_text(BILL_HEADER + BILL_LINE * 3)
    same = ["--workload", str(folder / "w.yaml"), "--catalog", str(catalog), "--as-of", "2026-11-30", "--json"]
    assert run([*same, "--out", str(folder / "plan.json")]) == 0
    assert run([*same, "--set", "tokens=4e9", "--out", str(folder / "other.json")]) == 0
    return folder


@pytest.fixture
def world(_made: Path, catalog: Path, tmp_path: Path) -> World:
    """A copy of them for one test."""
    folder = tmp_path / "world"
    shutil.copytree(_made, folder)
    return World(folder, catalog)

"""Refreshing into a temporary folder from providers made for the test."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from optimizer.app import fetching, refresh
from optimizer.app.refresh import RefreshResult, refresh_catalog
from optimizer.catalog import shipped_directory
from optimizer.catalog.generations import current_directory
from optimizer.catalog.index import write_index
from optimizer.catalog.layer import layer_offers
from optimizer.domain.offer import Offer
from providers._kit.contract import FetchContext, Outcome
from tests.refresh import fakes

Behaviour = Callable[[FetchContext], Iterator[Outcome]]


class House:
    """A user's catalog folder and the providers that feed it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "catalog"
        self.home = folder / "home"
        self.behaviours: dict[str, Behaviour] = {}

    def refresh(self, *names: str, seconds: float = 5.0, **options: Any) -> RefreshResult:
        """Refresh from all behaviours, or from those named."""
        environment = options.pop("environment", None)
        return refresh_catalog(
            names or tuple(self.behaviours),
            root=self.root,
            surroundings=fakes.surroundings(self.home, seconds, environment),
            **options,
        )

    def offers(self) -> list[Offer]:
        """What the published generation holds."""
        directory = current_directory(self.root)
        return list(layer_offers(directory)) if directory else []

    def files(self) -> dict[str, bytes]:
        """Every file under the folder but the lock, with its content."""
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and path.name != "LOCK"
        }


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    """An empty folder; set `behaviours` to say who gives what."""
    made = House(tmp_path)

    def load(name: str) -> Any:
        return fakes.provider(name, made.behaviours[name])

    shipped = tmp_path / "shipped"
    (shipped / "facts").mkdir(parents=True)
    shutil.copy(shipped_directory() / "facts/gpus.csv", shipped / "facts")
    write_index(shipped)
    monkeypatch.setattr("optimizer.catalog.catalog.shipped_directory", lambda: shipped)
    monkeypatch.setattr(fetching, "load_provider", load)
    monkeypatch.setattr(refresh, "load_provider", load)
    return made

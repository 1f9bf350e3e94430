"""The shipped catalog, read once, without anything that the user of this machine may have refreshed."""

import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from optimizer.catalog import Catalog, load_catalog, shipped_directory
from optimizer.domain.offer import Offer

ROOT = Path(__file__).parents[2]
#: Day on which the shipped snapshots were made.
AS_OF = date(2026, 11, 30)

sys.path.insert(0, str(ROOT / "scripts"))


@pytest.fixture(autouse=True)
def _no_user_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPTIMIZE_DATA_DIR", str(tmp_path / "no-user-data"))
    monkeypatch.setenv("OPTIMIZE_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """The shipped catalog alone."""
    return load_catalog(shipped_directory())


@pytest.fixture(scope="session")
def offer(catalog: Catalog) -> Callable[[str], Offer]:
    """Look up one offer by its key."""
    by_key = {offer.key: offer for offer in catalog.offers()}
    return by_key.__getitem__

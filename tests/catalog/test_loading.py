"""Loading: checksums, layers, replacement, and errors that name the file."""

import json
import shutil
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from optimizer.catalog import Catalog, load_catalog, shipped_directory
from optimizer.catalog.index import write_index
from optimizer.catalog.snapshot import write_snapshot
from optimizer.domain.offer import Offer, PriceKind, Term
from optimizer.errors import CatalogError
from tests.catalog.builders import machine, price, write_catalog


def copied(directory: Path) -> Path:
    target = directory / "catalog"
    shutil.copytree(shipped_directory(), target)
    return target


def one_offer(amount: str, observed: date | None, region: str = "global", name: str = "1x_T4") -> Offer:
    prices = (price(amount, observed=observed),)
    sold = machine(name, "T4", 1, provider="runpod", observed=observed)
    return Offer(provider="runpod", region=region, machine=sold, prices=prices)


def test_a_changed_file_is_damage(tmp_path: Path) -> None:
    directory = copied(tmp_path)
    prices = directory / "offers" / "aws" / "prices.csv"
    expected = json.loads((directory / "index.json").read_text())["files"]["offers/aws/prices.csv"]["sha256"]
    prices.write_bytes(prices.read_bytes().replace(b"55.04", b"5.504", 1))
    with pytest.raises(CatalogError) as caught:
        load_catalog(directory).offers()
    (problem,) = caught.value.problems
    assert problem.file == str(prices)
    assert problem.expected == expected
    assert problem.found != expected
    assert len(problem.found) == 64


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    directory = copied(tmp_path)
    (directory / "facts" / "gpus.csv").unlink()
    with pytest.raises(CatalogError, match=r"facts/gpus\.csv.*No such file"):
        assert load_catalog(directory).gpus


@pytest.mark.parametrize("text", ["", "{", "[]", '{"files": 1}'])
def test_a_broken_index(tmp_path: Path, text: str) -> None:
    (tmp_path / "index.json").write_text(text)
    with pytest.raises(CatalogError, match=r"index\.json"):
        load_catalog(tmp_path).offers()


def test_a_folder_that_is_no_catalog(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=r"index\.json.*--catalog"):
        load_catalog(tmp_path)


@pytest.mark.parametrize("change", ["header", "row"])
def test_another_layout_is_refused(tmp_path: Path, change: str) -> None:
    directory = copied(tmp_path)
    path = directory / "offers" / "aws" / "prices.csv"
    lines = path.read_text().split("\n")
    number = 0 if change == "header" else 1
    lines[number] += ",extra"
    path.write_text("\n".join(lines))
    write_index(directory)
    with pytest.raises(CatalogError, match=r"aws/prices\.csv:" + str(number + 1)):
        load_catalog(directory).offers()


def test_a_price_without_its_machine(tmp_path: Path) -> None:
    directory = copied(tmp_path)
    path = directory / "offers" / "aws" / "machines.csv"
    path.write_text("\n".join(line for line in path.read_text().split("\n") if not line.startswith("p5.48xlarge,")))
    write_index(directory)
    with pytest.raises(CatalogError, match=r"p5\.48xlarge"):
        load_catalog(directory).offers()


def test_catalog_option_replaces_both(tmp_path: Path) -> None:
    catalog = write_catalog(tmp_path / "own", [one_offer("0.4", date(2026, 11, 1))])
    assert [o.key for o in catalog.offers()] == ["runpod/global/1x_T4"]


def user_layer(directory: Path, offers: list[Offer]) -> Catalog:
    directory.mkdir()
    write_snapshot(directory, "runpod", offers)
    return load_catalog(user_directory=directory)


def test_refreshed_snapshots_lie_over_the_shipped_ones(tmp_path: Path, catalog: Catalog) -> None:
    layered = user_layer(tmp_path / "user", [one_offer("0.4", date(2026, 12, 1))])
    keys = {o.key for o in layered.offers()}
    assert keys == {o.key for o in catalog.offers()} | {"runpod/global/1x_T4"}
    assert layered.checksum != catalog.checksum
    assert layered.files > catalog.files


@pytest.mark.parametrize(
    ("observed", "expected"),
    [
        (date(2026, 12, 1), "3.00"),  # newer than 2026-11-09, the shipped observation
        (date(2026, 11, 9), "3.00"),  # as old: the refreshed one
        (date(2026, 11, 8), "3.99"),  # older: the shipped one stays
        (None, "3.99"),  # undated is older than any day
    ],
)
def test_the_newest_observation_of_a_key_wins(tmp_path: Path, observed: date | None, expected: str) -> None:
    """RunPod's H100 SXM in the secure cloud: 3.99 as of 2026-11-09 (offers README, trap 1)."""
    name = "1x_H100-SXM_secure"
    sold = machine(name, "H100-SXM5-80GB", 1, provider="runpod", observed=observed)
    refreshed = Offer(provider="runpod", region="global", machine=sold, prices=(price("3.00", observed=observed),))
    layered = user_layer(tmp_path / "user", [refreshed])
    found = next(o for o in layered.offers() if o.key == f"runpod/global/{name}")
    on_demand = found.price(Term.ON_DEMAND)
    assert on_demand is not None
    assert on_demand.amount == Decimal(expected)
    assert found.price(Term.RESERVED_3M) is not None
    assert [p.kind for p in found.prices if p.term is Term.ON_DEMAND] == [PriceKind.LIST]


def test_an_empty_user_folder_is_left_out(tmp_path: Path, catalog: Catalog) -> None:
    (tmp_path / "user").mkdir()
    assert load_catalog(user_directory=tmp_path / "user").checksum == catalog.checksum


def test_the_users_folder_is_found_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPTIMIZE_DATA_DIR", str(tmp_path))
    (tmp_path / "catalog").mkdir()
    write_snapshot(tmp_path / "catalog", "runpod", [one_offer("0.4", date(2026, 12, 1))])
    assert any(o.key == "runpod/global/1x_T4" for o in load_catalog().offers())


def test_offers_are_sorted_by_key_and_equal_each_time(catalog: Catalog) -> None:
    keys = [o.key for o in catalog.offers()]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)
    again = load_catalog(shipped_directory())
    assert again.offers() == catalog.offers()
    assert again.checksum == catalog.checksum

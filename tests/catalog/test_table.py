"""The columns of a catalog: kept between runs, never trusted blindly, and the same answer with and without."""

import os
from pathlib import Path

import pytest

from optimizer.catalog import Catalog, load_catalog, shipped_directory
from optimizer.catalog.filters import OfferFilter, search
from optimizer.catalog.gpu_spec import parse_gpu_specs
from optimizer.catalog.summary import summarize
from optimizer.catalog.table import NO_TERM, TERMS
from optimizer.catalog.table_cache import cache_directory, read_table, table_name

WANTED = OfferFilter(gpus=parse_gpu_specs("H100:8"), countries=("US",), plannable_only=True)


def kept() -> list[Path]:
    return sorted(cache_directory().glob("*"))


def test_a_table_is_kept_and_found_again(catalog: Catalog) -> None:
    assert kept() == []
    first = search(load_catalog(shipped_directory()), WANTED)
    (path,) = kept()
    assert path.name == table_name(catalog.checksum)
    table = read_table(catalog.checksum)
    assert table is not None
    assert table == load_catalog(shipped_directory()).table
    assert search(load_catalog(shipped_directory()), WANTED) == first


def test_columns_say_what_the_rows_say(catalog: Catalog) -> None:
    table = catalog.table
    assert table.rows == summarize(catalog)["rows"]
    prices = [(offer, price) for offer in catalog.offers() for price in offer.prices]
    priced = [row for row in range(table.rows) if table.term[row] != NO_TERM]
    assert [TERMS[table.term[row]] for row in priced] == [price.term for _, price in prices]
    assert [bool(table.plannable[row]) for row in priced] == [price.is_plannable for _, price in prices]
    seats = [table.seats[code] for code in table.seat]
    assert [(s.provider, s.region, s.country) for s in seats] == [
        (o.provider, o.region, o.country) for o in catalog.offers()
    ]
    facets = [table.facets[table.facet[machine]] for machine in table.machine]
    assert [(f.gpu_model, f.gpu_count, f.intra_link, f.rdma) for f in facets] == [
        (o.machine.gpu_model, o.machine.gpu_count, o.machine.intra_link, o.machine.rdma) for o in catalog.offers()
    ]


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "text"])
def test_a_damaged_table_is_built_anew(damage: str) -> None:
    expected = search(load_catalog(shipped_directory()), WANTED)
    (path,) = kept()
    content = path.read_bytes()
    damaged = {
        "flip": content[:-5] + bytes([content[-5] ^ 1]) + content[-4:],
        "cut": content[: len(content) // 2],
        "empty": b"",
        "text": b"not a table\n",
    }
    path.write_bytes(damaged[damage])
    assert search(load_catalog(shipped_directory()), WANTED) == expected
    assert path.read_bytes() == content


def test_a_folder_that_cannot_be_written_to_costs_time_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("OPTIMIZE_CACHE_DIR", str(tmp_path / "file"))
    offers, _ = search(load_catalog(shipped_directory()), WANTED)
    assert offers


def test_only_a_few_tables_are_kept() -> None:
    cache_directory().mkdir(parents=True)
    for number in range(6):
        old = cache_directory() / f"{number}.table"
        old.write_bytes(b"")
        os.utime(old, (number, number))
    search(load_catalog(shipped_directory()), WANTED)
    names = [path.name for path in kept()]
    assert len(names) == 4
    assert "0.table" not in names
    assert "5.table" in names


def test_a_changed_file_is_found_although_a_table_is_kept(tmp_path: Path) -> None:
    import shutil

    from optimizer.errors import CatalogError

    directory = tmp_path / "catalog"
    shutil.copytree(shipped_directory(), directory)
    search(load_catalog(directory), WANTED)
    prices = directory / "offers" / "aws" / "prices.csv"
    prices.write_bytes(prices.read_bytes().replace(b"55.04", b"5.504", 1))
    with pytest.raises(CatalogError, match=r"aws/prices\.csv"):
        search(load_catalog(directory), WANTED)

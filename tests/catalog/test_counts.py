"""Every row of the 26 raw offer files is accounted for, and the tables say so."""

from collections import Counter

import pytest

from optimizer.catalog import Catalog
from optimizer.catalog.summary import summarize

#: Rows per file as the descriptions of the raw folder state them (tables of the Western, Chinese and commitment
#: files; cn_rents.csv: 4,843 in all less the others).
READ = {
    "aws.csv": 259,
    "azure.csv": 1163,
    "gcp.csv": 912,
    "oci.csv": 25,
    "lambda.csv": 17,
    "nebius.csv": 32,
    "runpod.csv": 34,
    "coreweave.csv": 14,
    "crusoe.csv": 26,
    "hyperstack.csv": 74,
    "verda.csv": 91,
    "vast.csv": 61,
    "vultr.csv": 12,
    "digitalocean.csv": 5,
    "jarvislabs.csv": 16,
    "seeweb.csv": 27,
    "other_neoclouds.csv": 45,
    "alibaba.csv": 820,
    "tencent.csv": 115,
    "huawei.csv": 15,
    "volcengine.csv": 11,
    "baidu.csv": 3,
    "autodl.csv": 34,
    "rental_platforms_cn.csv": 14,
    "west_commitments.csv": 729,
    "cn_rents.csv": 289,
}


def test_all_files_and_rows_are_counted(catalog: Catalog) -> None:
    counts = {row["file"]: int(row["read"]) for row in catalog.records("import_counts")}
    assert counts == READ
    assert sum(counts.values()) == 4843
    assert len(counts) == 26


def test_each_file_adds_up(catalog: Catalog) -> None:
    for row in catalog.records("import_counts"):
        assert int(row["imported"]) + int(row["quarantined"]) + int(row["rejected"]) == int(row["read"]), row["file"]


def test_refused_rows_stand_in_the_table_with_a_reason(catalog: Catalog) -> None:
    counted = {
        status: sum(int(row[status]) for row in catalog.records("import_counts"))
        for status in ("quarantined", "rejected")
    }
    found = Counter("quarantined" if row.quarantined else "rejected" for row in catalog.rejected)
    assert found == Counter(counted)
    assert all(row.reason for row in catalog.rejected)


def test_imported_rows_are_in_the_snapshots(catalog: Catalog) -> None:
    """Imported rows + the reserved prices of the commitments table = rows of the catalog."""
    imported = sum(int(row["imported"]) for row in catalog.records("import_counts"))
    reserved = sum(row["use"] == "price" for row in catalog.records("commitments"))
    assert summarize(catalog)["rows"] == imported + reserved


def test_all_sellers_are_listed(catalog: Catalog) -> None:
    providers = summarize(catalog)["providers"]
    assert len(providers) == 42


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        ("price_history", 80),  # history.csv: 80 superseded observations
        ("pcie_measured", 50),  # 50 EC2 GPU types measured
        ("commitments", 304),  # AUDIT, head: commitments.csv (304)
        ("models", 148),  # AUDIT, head
        ("owned_costs", 59),
        ("server_prices", 105),
        ("storage", 136),
        ("transfer", 199),
        ("cpus", 33),
    ],
)
def test_fact_tables_are_complete(catalog: Catalog, table: str, rows: int) -> None:
    assert len(catalog.records(table)) == rows


def test_links_are_complete(catalog: Catalog) -> None:
    """interconnect.csv (75) is split into links inside a machine and between machines."""
    assert len(catalog.records("links_intra")) + len(catalog.records("links_nodes")) == 75


def test_averages_became_price_bands(catalog: Catalog) -> None:
    """27 averages of the market table; averages and medians among the offers join them."""
    rows = catalog.records("price_bands")
    assert sum(row["kind"] == "average" for row in rows) == 27
    assert len(rows) > 27


TABLES = (
    "gpus gpu_aliases regions storage transfer fx commitments models servers server_prices owned_costs cpus "
    "links_intra links_nodes pcie_measured price_history price_bands import_counts providers explained"
)


@pytest.mark.parametrize("table", TABLES.split())
def test_every_fact_names_source_and_day(catalog: Catalog, table: str) -> None:
    for row in catalog.records(table):
        assert row["source"], row
        assert "observed" in row


def test_every_price_names_its_source(catalog: Catalog) -> None:
    assert all(price.source for offer in catalog.offers() for price in offer.prices)


def test_percentages_ceilings_and_estimates_never_became_prices(catalog: Catalog) -> None:
    """commitments.csv: 237 AWS rates and 4 Azure savings plan rates are hourly prices of a named type."""
    priced = [row for row in catalog.records("commitments") if row["use"] == "price"]
    assert {row["unit"] for row in priced} == {"per hour"}
    assert {row["provider"] for row in priced} == {"aws"}
    assert len(priced) == 237
    waiting = [row for row in catalog.records("commitments") if row["use"].startswith("quarantined")]
    assert {row["scope"] for row in waiting} == {"Standard_NC128ds_xl_RTXPRO6000BSE_v6"}
    assert len(waiting) == 4

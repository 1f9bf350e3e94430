"""`check_catalog`: the shipped catalog is clean, and each kind of damage is found."""

from collections import Counter
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from optimizer.catalog import Catalog, load_catalog
from optimizer.catalog.check import check_catalog
from optimizer.catalog.check_ages import check_ages
from optimizer.catalog.findings import CODES, Level
from optimizer.catalog.index import Files, write_index
from optimizer.domain.offer import IntraLink, Mark, Offer, PriceUnit, Term
from tests.catalog.builders import AS_OF, machine, price, replace_cells, write_catalog


def errors(catalog: Catalog) -> Counter[str]:
    return Counter(finding.code for finding in check_catalog(catalog, AS_OF) if finding.level is Level.ERROR)


def sold(name: str, model: str, count: int, amount: str, term: Term = Term.ON_DEMAND, region: str = "global") -> Offer:
    return Offer(provider="runpod", region=region, machine=machine(name, model, count), prices=(price(amount, term),))


def test_the_shipped_catalog_is_clean(catalog: Catalog) -> None:
    findings = check_catalog(catalog, AS_OF)
    assert {finding.level for finding in findings} <= {Level.EXPLAINED}
    assert all(finding.reason for finding in findings)


def test_a_good_catalog_has_no_findings(tmp_path: Path) -> None:
    assert check_catalog(write_catalog(tmp_path, [sold("1x_T4", "T4", 1, "0.4")]), AS_OF) == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("USD", ""),
        ("USD", "dollar"),
        ("hour", ""),
        ("hour", "hr"),
        ("on_demand", "monthly"),
        ("2026-11-30", "yesterday"),
    ],
)
def test_unreadable_cells(tmp_path: Path, old: str, new: str) -> None:
    assert errors(write_catalog(tmp_path, [sold("1x_T4", "T4", 1, "0.4")], cells={old: new})) == {"row": 1}


def test_a_damaged_file_is_a_finding_of_its_own(tmp_path: Path) -> None:
    catalog = write_catalog(tmp_path, [sold("1x_T4", "T4", 1, "0.4")])
    replace_cells(tmp_path / "offers" / "runpod" / "prices.csv", {"0.4": "4.0"})
    assert errors(load_catalog(tmp_path)) == {"file": 1}
    write_index(tmp_path)
    assert errors(load_catalog(tmp_path)) == Counter()
    assert catalog is not None


def test_price_far_from_its_family(tmp_path: Path) -> None:
    """Median 2.0: 0.66 is less than a third, 6.1 more than three times."""
    amounts = {"a": "2.0", "b": "2.0", "c": "2.0", "d": "0.66", "e": "6.1"}
    offers = [sold("1x_L40S", "L40S", 1, text, region=region) for region, text in amounts.items()]
    findings = check_catalog(write_catalog(tmp_path, offers, regions=amounts), AS_OF)
    assert [(f.code, f.row.split("/")[1]) for f in findings] == [("price-family", "d"), ("price-family", "e")]


def test_eight_cards_must_cost_eight_times_one(tmp_path: Path) -> None:
    """Within 10 %: 8 x 2.19 = 17.52 of 1 x 2.00 is 9.5 % more, 8 x 2.21 is 10.5 %."""
    for total, expected in (("17.52", 0), ("17.68", 1), ("14.32", 1)):
        offers = [sold("1x_H100", "H100-SXM5-80GB", 1, "2.00"), sold("8x_H100", "H100-SXM5-80GB", 8, total)]
        assert errors(write_catalog(tmp_path / total, offers))["price-siblings"] == expected


def test_a_term_dearer_than_its_hours(tmp_path: Path) -> None:
    """A month of 730 h at 1.00 an hour is 730; 731 is dearer by more than rounding."""
    for rent, expected in (("730", 0), ("731.5", 1)):
        offer = sold("1x_T4", "T4", 1, "1.00")
        monthly = price(rent, Term.MONTH, unit=PriceUnit.MONTH)
        both = offer.model_copy(update={"prices": (*offer.prices, monthly)})
        assert errors(write_catalog(tmp_path / rent, [both]))["term-order"] == expected


def test_memory_must_be_the_gpus(tmp_path: Path) -> None:
    """An 80 GB card sold as 40 GB, and more usable than nominal."""
    wrong = machine("1x_A100", "A100-SXM4-80GB", 1, gpu_memory_gib=40, gpu_memory_usable_gib=40)
    more = machine("1x_T4", "T4", 1, gpu_memory_usable_gib=17)
    offers = [Offer(provider="runpod", region="global", machine=found, prices=(price("1"),)) for found in (wrong, more)]
    assert errors(write_catalog(tmp_path, offers)) == {"memory": 2}


def test_a_share_must_be_marked(tmp_path: Path) -> None:
    half = machine("half", "A10", 1, gpu_fraction=0.5, gpu_memory_gib=12, gpu_memory_usable_gib=12)
    offer = Offer(provider="runpod", region="global", machine=half, prices=(price("1"),))
    assert errors(write_catalog(tmp_path / "unmarked", [offer])) == {"fraction": 1}
    marked = offer.model_copy(update={"prices": (price("1", marks=(Mark.FRACTIONAL,)),)})
    assert errors(write_catalog(tmp_path / "marked", [marked])) == Counter()


def test_a_gpu_and_a_region_that_nobody_knows(tmp_path: Path) -> None:
    strange = machine("1x_X", "T4", 1).model_copy(update={"gpu_model": "X9000"})
    offer = Offer(provider="runpod", region="moon", machine=strange, prices=(price("1"),))
    assert errors(write_catalog(tmp_path, [offer])) == {"gpu": 1, "region": 1}


def test_an_orphan_alias(tmp_path: Path) -> None:
    write_catalog(tmp_path, [sold("1x_T4", "T4", 1, "0.4")])
    with (tmp_path / "facts" / "gpu_aliases.csv").open("a") as file:
        file.write("Some GPU,,,NOT-A-MODEL,,a test,2026-11-30\nOther GPU,,,,,a test,2026-11-30\n")
    write_index(tmp_path)
    assert errors(load_catalog(tmp_path)) == {"alias": 2}


def test_an_explanation_turns_an_error_into_a_note_and_must_be_used(tmp_path: Path) -> None:
    amounts = {"a": "2.0", "b": "2.0", "c": "0.5"}
    offers = [sold("1x_L40S", "L40S", 1, text, region=region) for region, text in amounts.items()]
    write_catalog(tmp_path, offers, regions=amounts)
    with (tmp_path / "facts" / "explained.csv").open("a") as file:
        file.write("price-family,runpod,c,*,*,a clearance sale,a test,2026-11-30\n")
        file.write("price-family,aws,*,*,*,nothing of the kind,a test,2026-11-30\n")
    write_index(tmp_path)
    findings = check_catalog(load_catalog(tmp_path), AS_OF)
    assert [(f.code, f.level, f.reason) for f in findings] == [
        ("explained", Level.WARN, ""),
        ("price-family", Level.EXPLAINED, "a clearance sale"),
    ]


def test_marked_rows_are_not_judged(tmp_path: Path) -> None:
    """A floor price may be as low as it likes: it is never planned on."""
    amounts = {"a": "2.0", "b": "2.0", "c": "2.0"}
    offers = [sold("1x_L40S", "L40S", 1, text, region=region) for region, text in amounts.items()]
    floor = price("0.01", marks=(Mark.FLOOR,))
    offers[2] = offers[2].model_copy(update={"prices": (*offers[2].prices, floor)})
    assert errors(write_catalog(tmp_path, offers, regions=amounts)) == Counter()


def test_currencies_are_compared_at_the_rate(tmp_path: Path) -> None:
    """13.3 CNY at 6.65 a USD are 2.0 USD."""
    amounts = {"a": "2.0", "b": "2.0", "c": "13.3"}
    offers = [sold("1x_L40S", "L40S", 1, text, region=region) for region, text in amounts.items()]
    assert errors(write_catalog(tmp_path / "usd", offers, regions=amounts)) == {"price-family": 1}
    yuan = price("13.3", currency="CNY")
    offers[2] = offers[2].model_copy(update={"prices": (yuan,)})
    assert errors(write_catalog(tmp_path / "cny", offers, regions=amounts)) == Counter()
    assert yuan.amount == Decimal("13.3")


def test_every_code_is_said_in_both_languages() -> None:
    for text in CODES.values():
        assert text.en
        assert text.zh
        assert text.en != text.zh


@pytest.mark.parametrize(
    ("model", "facts", "found"),
    [
        ("T4", {"memory_type": "HBM2e"}, "memory_type HBM2e against GDDR6"),
        ("T4", {"memory_bandwidth_gbyte_per_s": 300}, "memory_bandwidth_gbyte_per_s 300.0 against 320.0"),
        ("T4", {"pcie_width_measured": 32}, "pcie_width_measured 32 against 16"),
        ("T4", {"intra_link": IntraLink.NVLINK}, "intra_link nvlink of a GPU without NVLink on record"),
        # 900 GB/s is what an H100 has in both directions together.
        (
            "H100-SXM5-80GB",
            {"intra_link": IntraLink.NVSWITCH, "intra_link_gbyte_per_s": 1800},
            "intra_link_gbyte_per_s 1800 above the GPU's 900",
        ),
    ],
)
def test_facts_that_the_gpu_cannot_have(tmp_path: Path, model: str, facts: dict[str, Any], found: str) -> None:
    offer = Offer(provider="runpod", region="global", machine=machine("8x", model, 8, **facts), prices=(price("1"),))
    (finding,) = check_catalog(write_catalog(tmp_path, [offer]), AS_OF)
    assert (finding.code, finding.level, finding.found) == ("hardware", Level.ERROR, found)


def test_no_more_memory_than_the_driver_leaves(tmp_path: Path) -> None:
    """An L4 has 22,888 MiB = 22.35 GiB as the driver reports, not the 24 of its label (AUDIT F36)."""
    offer = Offer(
        provider="runpod",
        region="global",
        machine=machine("1x_L4", "L4", 1, gpu_memory_usable_gib=24),
        prices=(price("1"),),
    )
    assert errors(write_catalog(tmp_path, [offer])) == {"memory": 1}


def test_a_region_that_an_import_brought_is_a_warning(tmp_path: Path) -> None:
    write_catalog(tmp_path / "shipped", [sold("1x_T4", "T4", 1, "0.4")])
    write_catalog(tmp_path / "own", [sold("2x_T4", "T4", 2, "0.8", region="moon")])
    own = tmp_path / "own" / "facts" / "regions.csv"
    own.write_text((tmp_path / "shipped" / "facts" / "regions.csv").read_text())
    write_index(tmp_path / "own")
    both = Catalog([Files(tmp_path / "own"), Files(tmp_path / "shipped")])
    found = [(f.code, f.level, f.row) for f in check_catalog(both, AS_OF)]
    assert found == [("region", Level.WARN, "runpod/moon/2x_T4")]


class TestSourcesAgainstEachOther:
    """Two layers, as a refresh over the shipped snapshot: the plan sees the newer row, the check tells of both."""

    @staticmethod
    def found(tmp_path: Path, own: Offer, shipped: Offer) -> list[str]:
        for name, offer in (("own", own), ("shipped", shipped)):
            write_catalog(tmp_path / name, [offer])
        both = Catalog([Files(tmp_path / "own"), Files(tmp_path / "shipped")])
        findings = check_catalog(both, AS_OF)
        assert {(finding.code, finding.level) for finding in findings} <= {("sources", Level.WARN)}
        return [f"{finding.row}: {finding.found}" for finding in findings]

    def test_two_prices_of_one_day(self, tmp_path: Path) -> None:
        own = sold("1x_T4", "T4", 1, "0.5")
        assert self.found(tmp_path, own, sold("1x_T4", "T4", 1, "0.4")) == [
            "runpod/global/1x_T4 on_demand: 0.5 USD/hour (a test) against 0.4 USD/hour (a test) on 2026-11-30"
        ]

    def test_the_same_price_written_otherwise(self, tmp_path: Path) -> None:
        assert self.found(tmp_path, sold("1x_T4", "T4", 1, "0.40"), sold("1x_T4", "T4", 1, "0.4")) == []

    @pytest.mark.parametrize("facts", [{"observed": date(2026, 11, 1)}, {"observed": None}, {"marks": (Mark.FLOOR,)}])
    def test_another_day_or_a_mark_is_no_contradiction(self, tmp_path: Path, facts: dict[str, Any]) -> None:
        older = sold("1x_T4", "T4", 1, "0.4").model_copy(update={"prices": (price("0.4", **facts),)})
        assert self.found(tmp_path, sold("1x_T4", "T4", 1, "0.5"), older) == []

    def test_two_machines_of_one_name(self, tmp_path: Path) -> None:
        one, two = (
            Offer(provider="runpod", region="global", machine=machine("x", "T4", count, **facts), prices=(price("1"),))
            for count, facts in ((8, {"vcpus": 96, "ram_gib": 384}), (4, {"vcpus": 96, "ram_gib": 380.5, "cores": 48}))
        )
        # 384 and 380.5 GiB differ by less than a hundredth; only one of them knows the cores.
        assert self.found(tmp_path, one, two) == ["runpod/*/x: gpu_count 8 (a test) against 4 (a test)"]


def test_one_type_has_one_gpu_wherever_it_is_sold(tmp_path: Path) -> None:
    offers = [
        Offer(provider="runpod", region=region, machine=machine("x", model, 1), prices=(price("1"),))
        for region, model in (("a", "T4"), ("b", "L4"))
    ]
    findings = check_catalog(write_catalog(tmp_path, offers, regions=("a", "b")), AS_OF)
    assert [(f.code, f.row, f.found) for f in findings] == [
        ("sources", "runpod/b/x", "gpu_model L4 (a test) against T4 (a test)")
    ]


def test_old_prices_are_left_out_of_comparisons_when_asked(tmp_path: Path) -> None:
    amounts = {"a": "2.0", "b": "2.0", "c": "0.5"}
    offers = [sold("1x_L40S", "L40S", 1, text, region=region) for region, text in amounts.items()]
    offers[2] = offers[2].model_copy(update={"prices": (price("0.5", observed=date(2026, 1, 1)),)})
    catalog = write_catalog(tmp_path, offers, regions=amounts)
    assert [finding.code for finding in check_catalog(catalog, AS_OF)] == ["price-family"]
    assert check_catalog(catalog, AS_OF, oldest=date(2026, 10, 1)) == ()
    ages = check_ages(catalog, AS_OF)
    assert (dict(ages.prices), dict(ages.old), dict(ages.undated)) == ({"runpod": 3}, {"runpod": 1}, {})
    (old,) = ages.findings()
    assert (old.found_in("en"), old.found_in("zh")) == ("1 of 3 prices", "3 个价格中的 1 个")

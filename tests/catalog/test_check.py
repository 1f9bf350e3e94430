"""`check_catalog`: the shipped catalog is clean, and each kind of damage is found."""

from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

from optimizer.catalog import Catalog, load_catalog
from optimizer.catalog.check import CODES, Level, check_catalog
from optimizer.catalog.index import write_index
from optimizer.domain.offer import Mark, Offer, PriceUnit, Term
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

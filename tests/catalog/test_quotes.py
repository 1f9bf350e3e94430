"""The user's quotes: they beat list prices, and nothing in them is guessed."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from optimizer.catalog import Catalog
from optimizer.catalog.quotes import read_quotes
from optimizer.domain.offer import Mark, Offer, PriceKind, PriceUnit, Term
from optimizer.errors import InputError, Problem

AS_OF = date(2026, 11, 30)
HEADER = "provider,region,instance_type,term,price,price_unit,currency,tax_included,valid_from,valid_to,note"
KEY = "alibaba/cn-beijing/ecs.gn7e-c16g1.16xlarge"
ROW = "alibaba,cn-beijing,ecs.gn7e-c16g1.16xlarge"
Read = Callable[[str], dict[str, Offer]]


@pytest.fixture
def read(catalog: Catalog, tmp_path: Path) -> Read:
    def read(text: str, encoding: str = "utf-8") -> dict[str, Offer]:
        path = tmp_path / "quotes.csv"
        path.write_bytes(text.encode(encoding))
        return {offer.key: offer for offer in read_quotes(path, catalog.offers(), AS_OF, catalog)}

    return read


def problems(read: Read, text: str) -> tuple[Problem, ...]:
    with pytest.raises(InputError) as caught:
        read(text)
    return caught.value.problems


def test_a_quote_beats_the_list_price(read: Read, catalog: Catalog) -> None:
    offers = read(f"{HEADER}\n{ROW},on_demand,100.5,hour,CNY,yes,2026-11-01,2026-12-31,deal\n")
    quote = offers[KEY].price(Term.ON_DEMAND)
    assert quote is not None
    assert (quote.amount, quote.unit, quote.currency) == (Decimal("100.5"), PriceUnit.HOUR, "CNY")
    assert (quote.kind, quote.tax_included, quote.note) == (PriceKind.QUOTE, True, "deal")
    others = [p for p in offers[KEY].prices if p is not quote and p.term is Term.ON_DEMAND]
    assert others
    assert all(Mark.SUPERSEDED in p.marks for p in others)
    assert len(offers) == len(catalog.offers())


def test_other_offers_stay_as_they_are(read: Read, catalog: Catalog) -> None:
    offers = read(f"{HEADER}\n{ROW},month,45000,month,CNY,,,,\n")
    assert all(offers[o.key] is o for o in catalog.offers() if o.key != KEY)
    month = offers[KEY].price(Term.MONTH)
    assert month is not None
    assert month.tax_included is None
    assert month.per_month() == 45000


@pytest.mark.parametrize(("valid_from", "valid_to"), [("2026-01-01", "2026-11-29"), ("2026-12-01", "")])
def test_outside_its_dates_a_quote_is_only_seen(read: Read, valid_from: str, valid_to: str) -> None:
    offers = read(f"{HEADER}\n{ROW},on_demand,1,hour,CNY,,{valid_from},{valid_to},\n")
    list_price = offers[KEY].price(Term.ON_DEMAND)
    assert list_price is not None
    assert list_price.kind is PriceKind.LIST
    assert [p.marks for p in offers[KEY].prices if p.kind is PriceKind.QUOTE] == [(Mark.EXPIRED,)]


def test_the_last_day_counts(read: Read) -> None:
    offers = read(f"{HEADER}\n{ROW},on_demand,1,hour,CNY,,2026-11-30,2026-11-30,\n")
    quote = offers[KEY].price(Term.ON_DEMAND)
    assert quote is not None
    assert quote.kind is PriceKind.QUOTE


def test_a_price_per_gpu_is_multiplied(read: Read) -> None:
    """gn7e-c16g1.16xlarge has 4 GPUs: 25 a GPU-hour are 100 an hour."""
    quote = read(f"{HEADER}\n{ROW},on_demand,25,gpu_hour,CNY,,,,\n")[KEY].price(Term.ON_DEMAND)
    assert quote is not None
    assert (quote.amount, quote.unit) == (Decimal(100), PriceUnit.HOUR)


def test_a_discount_comes_off_the_list_price(read: Read, catalog: Catalog) -> None:
    header = f"{HEADER},discount_percent"
    listed = next(o for o in catalog.offers() if o.key == KEY).price(Term.ON_DEMAND)
    quote = read(f"{header}\n{ROW},on_demand,,,,,,,,30\n")[KEY].price(Term.ON_DEMAND)
    assert listed is not None
    assert quote is not None
    assert quote.amount == listed.amount * Decimal("0.7")
    assert quote.currency == "CNY"


def test_a_known_machine_in_a_new_region(read: Read) -> None:
    offers = read(f"{HEADER}\nalibaba,cn-qingdao,ecs.gn7e-c16g1.16xlarge,month,40000,month,CNY,,,,\n")
    found = offers["alibaba/cn-qingdao/ecs.gn7e-c16g1.16xlarge"]
    assert (found.country, found.machine.gpu_count) == ("CN", 4)


def test_a_machine_of_a_seller_that_nobody_knows(read: Read) -> None:
    header = f"{HEADER},gpu_model,gpu_count,ram_gib,rdma,country"
    offers = read(f"{header}\nlaowang,sz,h800-box,month,70000,month,CNY,,,,,H800-SXM5-80GB,8,2048,roce,CN\n")
    found = offers["laowang/sz/h800-box"]
    assert (found.machine.gpu_model, found.machine.gpu_count, found.machine.ram_gib) == ("H800-SXM5-80GB", 8, 2048)
    assert found.country == "CN"
    assert found.machine.ecc is None


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("12948", "12948"),
        ("12948.50", "12948.50"),
        ('"12,948.50"', "12948.50"),
        ('"1,234,567"', "1234567"),
        ("0.5", "0.5"),
    ],
)
def test_numbers_that_can_be_read_in_one_way(read: Read, text: str, amount: str) -> None:
    quote = read(f"{HEADER}\n{ROW},month,{text},month,CNY,,,,\n")[KEY].price(Term.MONTH)
    assert quote is not None
    assert quote.amount == Decimal(amount)


@pytest.mark.parametrize(
    "text",
    ['"12,948"', '"12,5"', '"1.234,56"', "0", "-5", "nan", "inf", "1e3", "¥12948", "$5", "12 948", "１２", "free"],
)
def test_numbers_that_cannot_are_refused(read: Read, text: str) -> None:
    (problem,) = problems(read, f"{HEADER}\n{ROW},month,{text},month,CNY,,,,\n")
    assert (problem.line, problem.field) == (2, "price")


def test_a_semicolon_file_is_read_by_its_own_rules(read: Read) -> None:
    """Spreadsheets of many countries write `;` and a decimal comma: 12.948 could be twelve thousand there."""
    header, row = HEADER.replace(",", ";"), ROW.replace(",", ";")
    quote = read(f"{header}\n{row};month;12948.50;month;CNY;;;;\n")[KEY].price(Term.MONTH)
    assert quote is not None
    assert quote.amount == Decimal("12948.50")
    for text in ("12.948", "12948,50"):
        (problem,) = problems(read, f"{header}\n{row};month;{text};month;CNY;;;;\n")
        assert problem.field == "price"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gbk", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_encodings_and_line_ends(read: Callable[..., dict[str, Offer]], encoding: str, end: str) -> None:
    text = end.join([HEADER, f"{ROW},month,45000,month,CNY,是,,,含税 专票", ""])
    quote = read(text, encoding)[KEY].price(Term.MONTH)
    assert quote is not None
    assert (quote.amount, quote.tax_included, quote.note) == (Decimal(45000), True, "含税 专票")


def test_all_problems_come_at_once_with_their_lines(read: Read) -> None:
    text = "\n".join(
        [
            HEADER,
            f"{ROW},monthly,1,month,CNY,,,,",
            f"{ROW},month,1,months,CNY,,,,",
            f"{ROW},month,1,month,RMB元,,,,",
            f"{ROW},month,1,month,CNY,maybe,,,",
            f"{ROW},month,1,month,CNY,,30/11/2026,,",
            "alibaba,cn-beijing,ecs.gn7e-c16g1.16xlarg,month,1,month,CNY,,,,",
            f"{ROW},month,,month,CNY,,,,",
        ]
    )
    found = problems(read, text)
    assert [(p.line, p.field) for p in found] == [
        (2, "term"),
        (3, "price_unit"),
        (4, "currency"),
        (5, "tax_included"),
        (6, "valid_from"),
        (7, "instance_type"),
        (8, "price"),
    ]
    assert "Did you mean month?" in str(found[0])
    assert f"Did you mean {KEY}?" in str(found[5])


@pytest.mark.parametrize(
    ("term", "unit"),
    [
        ("on_demand", "month"),
        ("spot", "day"),
        ("month", "day"),
        ("month", "year"),
        ("day", "month"),
        ("reserved_1y", "week"),
    ],
)
def test_units_that_cannot_price_a_term(read: Read, term: str, unit: str) -> None:
    (problem,) = problems(read, f"{HEADER}\n{ROW},{term},1,{unit},CNY,,,,\n")
    assert problem.field == "price_unit"


def test_two_valid_quotes_for_one_key_contradict(read: Read) -> None:
    text = f"{HEADER}\n{ROW},month,1,month,CNY,,,,\n{ROW},month,2,month,CNY,,,,\n"
    (problem,) = problems(read, text)
    assert (problem.line, problem.field) == (3, "term")
    assert "Line 2" in str(problem)


@pytest.mark.parametrize(
    ("header", "field"),
    [
        (HEADER.replace("price_unit", "price_units"), "price_units"),
        (HEADER.replace("provider,", ""), "header"),
        (HEADER.replace("price,", "note2,"), "note2"),
    ],
)
def test_wrong_headers(read: Read, header: str, field: str) -> None:
    assert field in [problem.field for problem in problems(read, f"{header}\n")]


def test_a_line_of_another_length(read: Read) -> None:
    (problem,) = problems(read, f"{HEADER}\n{ROW},month,12,948,month,CNY,,,,\n")
    assert problem.line == 2
    assert "quotation marks" in str(problem)


def test_a_missing_file(catalog: Catalog, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_quotes(tmp_path / "none.csv", catalog.offers(), AS_OF, catalog)


def test_a_picture_is_not_a_file_of_quotes(catalog: Catalog, tmp_path: Path) -> None:
    path = tmp_path / "quotes.csv"
    path.write_bytes(bytes(range(256)))
    with pytest.raises(InputError):
        read_quotes(path, catalog.offers(), AS_OF, catalog)

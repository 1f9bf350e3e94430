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
from tests.catalog.builders import machine, price

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
    ("place", "field", "known"),
    [
        ("Alibaba,cn-beijing,ecs.gn7e-c16g1.16xlarge", "provider", "alibaba"),
        ("alibaba,CN-Beijing,ecs.gn7e-c16g1.16xlarge", "region", "cn-beijing"),
        ("alibaba,cn-beijing,ECS.gn7e-c16g1.16xlarge", "instance_type", "ecs.gn7e-c16g1.16xlarge"),
    ],
)
def test_a_name_in_other_letters_is_a_slip_and_no_new_place(read: Read, place: str, field: str, known: str) -> None:
    (problem,) = problems(read, f"{HEADER},gpu_model,gpu_count\n{place},month,1,month,CNY,,,,,A100-SXM4-80GB,4\n")
    assert (problem.field, problem.suggestion) == (field, f"Did you mean {known}?")


@pytest.mark.parametrize(
    ("currency", "code"), [("RMB", "CNY"), ("rmb", "CNY"), ("人民币", "CNY"), ("cny", "CNY"), ("US$", "USD")]
)
def test_a_currency_by_another_name_is_told_its_code(read: Read, currency: str, code: str) -> None:
    (problem,) = problems(read, f"{HEADER}\n{ROW},month,1,month,{currency},,,,\n")
    assert (problem.field, problem.suggestion) == ("currency", f"Did you mean {code}?")


@pytest.mark.parametrize(("country", "code"), [("中国", "CN"), ("cn", "CN"), ("China", "CN"), ("USA", "US")])
def test_a_country_is_told_its_code(read: Read, country: str, code: str) -> None:
    line = f"laowang,sz,box,month,70000,month,CNY,,,,,H800-SXM5-80GB,8,{country}"
    (problem,) = problems(read, f"{HEADER},gpu_model,gpu_count,country\n{line}\n")
    assert (problem.field, problem.suggestion) == ("country", f"Did you mean {code}?")


def test_a_price_of_a_gpu_and_month_is_multiplied(read: Read) -> None:
    """Four GPUs at 12,500 a GPU and month are 50,000 a month."""
    quote = read(f"{HEADER}\n{ROW},month,12500,gpu_month,CNY,,,,\n")[KEY].price(Term.MONTH)
    assert quote is not None
    assert (quote.amount, quote.unit) == (Decimal(50_000), PriceUnit.MONTH)


@pytest.mark.parametrize(
    ("term", "unit", "expected"),
    [
        ("按量", "小时", (Term.ON_DEMAND, PriceUnit.HOUR)),
        ("包月", "台/月", (Term.MONTH, PriceUnit.MONTH)),
        ("包年", "年", (Term.YEAR, PriceUnit.YEAR)),
        ("预留 1 年", "月", (Term.RESERVED_1Y, PriceUnit.MONTH)),
        ("预留1年", "期", (Term.RESERVED_1Y, PriceUnit.TERM)),
    ],
)
def test_chinese_words_of_terms_and_units(read: Read, term: str, unit: str, expected: tuple[Term, PriceUnit]) -> None:
    quote = read(f"{HEADER}\n{ROW},{term},1000,{unit},CNY,含税,,,\n")[KEY].prices[0]
    assert (quote.term, quote.unit, quote.tax_included) == (*expected, True)


def test_a_sheet_in_chinese(read: Read) -> None:
    """Four GPUs at 25 a GPU-hour are 100 an hour; the last day is the 30th of June."""
    header = "供应商,地域,机型,租期,价格,单位,币种,含税,生效日期,失效日期,备注"
    quote = read(f"{header}\n{ROW},按量,25,卡/小时,CNY,不含税,2026/11/1,2027年6月30日,\n")[KEY].prices[0]
    assert (quote.amount, quote.unit, quote.tax_included) == (Decimal(100), PriceUnit.HOUR, False)
    assert (quote.valid_from, quote.valid_to) == (date(2026, 11, 1), date(2027, 6, 30))


@pytest.mark.parametrize("day", ["11/1/2026", "1/11/2026", "2026/13/1", "2026/2/30", "2026-11", "2026/11-1", "46000"])
def test_days_that_can_be_read_in_two_ways_or_none_are_refused(read: Read, day: str) -> None:
    (problem,) = problems(read, f"{HEADER}\n{ROW},month,1,month,CNY,,{day},,\n")
    assert problem.field == "valid_from"


def test_a_column_that_stands_twice(read: Read) -> None:
    (problem,) = problems(read, f"{HEADER},地域\n{ROW},month,1,month,CNY,,,,,cn-beijing\n")
    assert (problem.field, problem.expected) == ("region", "each column once")


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


class TestDiscountsOfManyOffers:
    HEADER = f"{HEADER},discount_percent"

    def quoted(self, offers: dict[str, Offer]) -> dict[tuple[str, Term], Decimal]:
        return {
            (key, price.term): price.amount
            for key, offer in offers.items()
            for price in offer.prices
            if price.kind is PriceKind.QUOTE
        }

    def listed(self, catalog: Catalog, provider: str, start: str = "") -> dict[tuple[str, Term], Decimal]:
        """List prices that may be planned on."""
        return {
            (offer.key, price.term): price.amount
            for offer in catalog.offers()
            for price in offer.prices
            if offer.provider == provider
            and offer.instance_type.startswith(start)
            and price.is_plannable
            and price.kind is not PriceKind.MARKET_QUOTE
        }

    def test_of_a_whole_provider(self, read: Read, catalog: Catalog) -> None:
        quotes = self.quoted(read(f"{self.HEADER}\nalibaba,*,*,*,,,,,,,frame,20\n"))
        expected = {key: amount * Decimal("0.8") for key, amount in self.listed(catalog, "alibaba").items()}
        assert len(expected) > 500
        assert quotes == expected

    def test_of_a_family_and_a_term(self, read: Read, catalog: Catalog) -> None:
        quotes = self.quoted(read(f"{self.HEADER}\nalibaba,*,ecs.gn7e*,on_demand,,,,,,,,25\n"))
        family = self.listed(catalog, "alibaba", "ecs.gn7e")
        assert quotes == {k: v * Decimal("0.75") for k, v in family.items() if k[1] is Term.ON_DEMAND}

    def test_an_offer_goes_before_its_family_and_that_before_the_provider(self, read: Read, catalog: Catalog) -> None:
        rows = ("alibaba,*,*,on_demand,,,,,,,,10", "alibaba,*,ecs.gn7e*,on_demand,,,,,,,,20")
        one = f"{ROW},on_demand,50,hour,CNY,,,,,"
        for order in ((*rows, one), (one, *reversed(rows))):
            quotes = self.quoted(read("\n".join([self.HEADER, *order, ""])))
            for (key, term), amount in self.listed(catalog, "alibaba").items():
                if term is not Term.ON_DEMAND:
                    assert (key, term) not in quotes
                    continue
                share = Decimal("0.8") if "/ecs.gn7e" in key else Decimal("0.9")
                assert quotes[key, term] == (50 if key == KEY else amount * share)

    def test_a_discount_keeps_what_holds_of_the_list_price(self, tmp_path: Path, catalog: Catalog) -> None:
        """90 an hour and 87,600 on the first day, a tenth off: 81 and 78,840; billed by the second as before."""
        facts = {"upfront_amount": Decimal(87600), "upfront_share": Decimal("0.5"), "tax_included": True}
        prices = (
            price("90", Term.RESERVED_1Y, **facts),
            price("5", Term.SPOT, billing_unit_hours=1 / 3600, minimum_hours=1 / 60, interruptions_per_hour=0.001),
        )
        offer = Offer(provider="p", region="r", machine=machine("x", "T4", 1), prices=prices)
        path = tmp_path / "quotes.csv"
        path.write_text(f"{self.HEADER}\np,r,*,*,,,,,,,,10\n")
        (found,) = read_quotes(path, [offer], AS_OF, catalog)
        reserved, spot = found.price(Term.RESERVED_1Y), found.price(Term.SPOT)
        assert reserved is not None
        assert spot is not None
        assert (reserved.amount, reserved.upfront_amount, reserved.upfront_share) == (81, 78840, Decimal("0.5"))
        assert reserved.tax_included is True
        assert (spot.amount, spot.billing_unit_hours, spot.minimum_hours) == (Decimal("4.5"), 1 / 3600, 1 / 60)
        assert spot.interruptions_per_hour == 0.001

    @pytest.mark.parametrize(
        ("row", "found", "expected"),
        [
            ("nosuch,*,*,on_demand,,,,,,,,10", "nosuch/*/*", "a pattern that an offer with a list price matches"),
            ("alibaba,*,*,on_demand,,,,,,,,100", "'100'", "less than 100"),
            ("alibaba,*,*,on_demand,,,,,,,,ten", "'ten'", "a number above zero"),
            ("alibaba,*,*,on_demand,5,hour,CNY,,,,,", "alibaba/*/*", "an offer of the catalog"),
        ],
    )
    def test_what_is_wrong_is_said_once(self, read: Read, row: str, found: str, expected: str) -> None:
        (problem,) = problems(read, f"{self.HEADER}\n{row}\n")
        assert (problem.found, problem.line) == (found, 2)
        assert problem.expected.startswith(expected)

    def test_two_patterns_as_exact_contradict_each_other(self, read: Read) -> None:
        text = f"{self.HEADER}\nalibaba,*,ecs.gn*,on_demand,,,,,,,,10\nalibaba,*,ecs.*7,on_demand,,,,,,,,20\n"
        (unmatched,) = problems(read, text)
        assert unmatched.line == 3
        text = f"{self.HEADER}\nalibaba,*,ecs.gn7*,on_demand,,,,,,,,10\nalibaba,*,*ecs.gn7*,on_demand,,,,,,,,20\n"
        (problem,) = problems(read, text)
        assert (problem.line, problem.suggestion) == (3, "Line 2 means it too, as exactly.")

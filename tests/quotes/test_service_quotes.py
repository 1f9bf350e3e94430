"""Quotes of storage and traffic: read, planned on and recounted; every amount is worked by hand in a comment."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from optimizer.app.facts import verify_facts
from optimizer.app.fit import fit_workload
from optimizer.app.service_quotes import services_needed
from optimizer.catalog import Catalog, load_catalog
from optimizer.catalog.facts import EgressPrice, StorageProduct
from optimizer.catalog.quotes import read_quote_file
from optimizer.cli._error_words import told
from optimizer.domain.offer import Offer, Price, PriceUnit, Term
from optimizer.domain.plan import Plan
from optimizer.errors import InputError
from optimizer.planning.case import PlanOptions
from optimizer.planning.pipeline import Planner
from optimizer.planning.workload_file import parse_workload
from optimizer.reports.phrases import in_chinese
from optimizer.verify import verify_plan

D = Decimal
AS_OF = date(2026, 11, 30)
HEADER = "provider,region,instance_type,term,price,price_unit,currency,tax_included,valid_from,valid_to,note\n"
#: One short job: 100 GB hot for one day, 200 GB cold for the year, 50 GB out.
WORK = """
start: 2026-12-01
horizon_months: 12
profile: off
name: w
model: {preset: llama-2-7b}
method: lora
sequence_length: 1024
global_batch_tokens: 65536
tokens: 3e7
dataset_gb: 100
cold_storage_gb: 200
egress_gb: 50
checkpoint_gb: 0
quotes: quotes.csv
"""
#: 100 GB for one day of 365/12-day months.
HOT_GB_MONTHS = D(100 * 12) / 365


class Shop(Catalog):
    """One machine without local disk in two regions of one seller, and list prices of storage and traffic, if any."""

    def __init__(self, listed: str | None = None, prices: tuple[str, str] = ("1", "2")) -> None:
        whole = load_catalog()
        self.__dict__.update(whole.__dict__)
        found = next(offer for offer in whole.offers() if offer.instance_type == "a2-ultragpu-1g")
        machine = found.machine.model_copy(update={"local_nvme_gb": None})
        self._listed = listed
        self._shop = tuple(
            found.model_copy(update={"region": region, "machine": machine, "prices": (_hourly(amount),)})
            for region, amount in zip(("r-0", "r-1"), prices, strict=True)
        )

    def offers(self) -> tuple[Offer, ...]:
        """The offers of the test."""
        return self._shop

    def storage(self, provider: str, region: str) -> tuple[StorageProduct, ...]:
        """A hot and a cold product at the same list price, or none."""
        if self._listed is None:
            return ()
        return tuple(
            StorageProduct(
                provider,
                region,
                name,
                tier,
                D(self._listed),
                False,
                None,
                False,
                None,
                0.0,
                "USD",
                "2026-11-01",
                "s",
                "",
            )
            for name, tier in (("fast disk", "hot-ssd"), ("slow disk", "cold-hdd"))
        )

    def egress(self, provider: str, region: str) -> EgressPrice | None:
        """The list price of traffic, or none."""
        if self._listed is None:
            return None
        return EgressPrice(provider, region, D(self._listed), False, "USD", "2026-11-01", "s", "")


def _hourly(amount: str) -> Price:
    return Price(
        term=Term.ON_DEMAND, amount=D(amount), unit=PriceUnit.HOUR, currency="USD", observed=AS_OF, source="test"
    )


@pytest.fixture
def planned(tmp_path: Path) -> Callable[..., Plan]:
    def planned(lines: str, catalog: Catalog, more: str = "") -> Plan:
        (tmp_path / "quotes.csv").write_text(HEADER + lines, encoding="utf-8")
        options = PlanOptions(as_of=AS_OF, extras=False)
        source = str(tmp_path / "w.yaml")
        plan, _ = Planner(parse_workload(WORK + more, source), catalog, options, source).plan()
        failed = [check for check in verify_plan(plan, verify_facts(plan, catalog)) if not check.ok]
        assert failed == []
        return plan

    return planned


def beside(plan: Plan) -> dict[str, Any]:
    """The lines of storage and traffic by what they are for."""
    return {line.note.partition(":")[0]: line for line in plan.purchases if line.kind in ("storage", "egress")}


ALL = (
    "gcp,*,storage,,0.10,gb_month,USD,,,,\ngcp,*,cold-storage,,0.02,gb_month,USD,,,,\ngcp,r-?,egress,,0.09,gb,USD,,,,\n"
)


def test_quotes_complete_a_plan_that_lacked_prices(planned: Callable[..., Plan]) -> None:
    lacking = planned("gcp,r-0,a2-ultragpu-1g,on_demand,1,hour,USD,,,,\n", Shop())
    assert len(lacking.incomplete) == len(services_needed(lacking)) == 3
    plan = planned(ALL, Shop())
    assert plan.incomplete == ()
    assert services_needed(plan) == []
    lines = beside(plan)
    # Hot 100 x 12/365 x 0.10 = 0.328767; cold 200 x 12 x 0.02 = 48; out 50 x 0.09 = 4.50.
    assert {name: line.cost for name, line in lines.items()} == {
        "hot": D("0.328767"),
        "cold": D("48"),
        "internet egress": D("4.5"),
    }
    assert {line.price_kind for line in lines.values()} == {"quote"}
    assert [line.source.rpartition("/")[2] for line in lines.values()] == [f"quotes.csv:{n}" for n in (2, 3, 4)]
    assert lines["hot"].observed == AS_OF


def test_a_quote_beats_the_list_price_also_where_it_is_dearer(planned: Callable[..., Plan]) -> None:
    lines = beside(planned("gcp,*,egress,,0.50,gb,USD,,,,\n", Shop("0.12")))
    # The quote: 50 x 0.50 = 25. Not quoted: 200 x 12 x 0.12 = 288.
    assert (lines["internet egress"].cost, lines["internet egress"].price_kind) == (D(25), "quote")
    assert (lines["cold"].cost, lines["cold"].price_kind) == (D(288), "list")


def test_a_quote_moves_the_work_to_the_region_that_it_makes_cheaper(planned: Callable[..., Plan]) -> None:
    """r-1's machine is no dearer for the whole job than 200 x 12 x (0.12 - 0.01) = 264 of cold storage."""
    plan = planned("gcp,r-1,cold-storage,,0.01,gb_month,USD,,,,\n", Shop("0.12"))
    assert {used.region for used in plan.assignments} == {"r-1"}
    assert beside(plan)["cold"].cost == 24


def test_the_more_exact_region_counts(planned: Callable[..., Plan]) -> None:
    rows = "gcp,*,egress,,0.50,gb,USD,,,,\ngcp,r-0,egress,,0.20,gb,USD,,,,\ngcp,r-*,egress,,0.30,gb,USD,,,,\n"
    assert beside(planned(rows, Shop("0.12")))["internet egress"].cost == 10  # 50 x 0.20


def test_a_price_per_gib_and_a_price_of_nothing(planned: Callable[..., Plan]) -> None:
    rows = ALL.replace("0.10,", "0,").replace("0.02,gb", "0.02,gib").replace("0.09,gb", "0.09,gib")
    lines = beside(planned(rows, Shop()))
    # A GiB is 1.073741824 GB: 48 / 1.073741824 = 44.703484; 4.5 / 1.073741824 = 4.190952.
    costs = {name: line.cost for name, line in lines.items()}
    assert costs == {"hot": D(0), "cold": D("44.703484"), "internet egress": D("4.190952")}


@pytest.mark.parametrize(
    ("tax", "cold", "out"),
    [
        # Tax comes back: without tax. Cold does not say, so is taken as with tax: 48 / 1.06 = 45.283019; out is quoted
        # without tax: 4.5.
        ("{rate: 0.06, recoverable: true, included: true}", "45.283019", "4.5"),
        # Tax is lost: with tax. Cold does not say, so is taken as without: 48 x 1.06 = 50.88; out 4.5 x 1.06 = 4.77.
        ("{rate: 0.06, recoverable: false, included: false}", "50.88", "4.77"),
        # Cold is taken as with tax and stays; out is without, so 4.77.
        ("{rate: 0.06, recoverable: false, included: true}", "48", "4.77"),
        ("{rate: 0}", "48", "4.5"),
    ],
)
def test_tax_on_quotes(planned: Callable[..., Plan], tax: str, cold: str, out: str) -> None:
    lines = beside(planned(ALL.replace("gb,USD,", "gb,USD,no"), Shop(), f"tax: {tax}\n"))
    assert (lines["cold"].cost, lines["internet egress"].cost) == (D(cold), D(out))


def test_tax_on_list_prices_and_a_shared_data_set(planned: Callable[..., Plan]) -> None:
    """Nothing says whether tax is in: as with tax, so all / 1.06: 200 x 12 x 0.12 = 288; 50 x 0.12 = 6."""
    plan = planned("", Shop("0.12"), "dataset: d\ntax: {rate: 0.06, recoverable: true}\n")
    lines = beside(plan)
    assert {line.tax_factor for line in plan.purchases} == {1 / D("1.06")}
    # 288 / 1.06 = 271.698113; 6 / 1.06 = 5.660377; 100 x 12/365 x 0.12 / 1.06 = 0.372189.
    assert lines["cold"].cost == D("271.698113")
    assert lines["internet egress"].cost == D("5.660377")
    assert lines["shared data set d"].cost == D("0.372189")


@pytest.mark.parametrize(
    ("field", "value", "check"),
    [
        ("amount", "0.08", "line.unit_price"),
        ("currency", "CNY", "line.quote"),
        ("unit", "gib", "line.unit_price"),
        ("tax_included", False, "line.tax_factor"),
        ("valid_to", "2026-11-29", "line.price_valid"),
        ("observed", "2026-11-01", "line.quote"),
        ("region", "elsewhere", "line.price_kind"),
    ],
)
def test_a_damaged_quote_is_caught(planned: Callable[..., Plan], field: str, value: Any, check: str) -> None:
    more = "tax: {rate: 0.06, recoverable: true}\n"
    data = planned("gcp,*,egress,,0.09,gb,USD,yes,,2026-12-31,\n", Shop("0.12"), more).model_dump(mode="json")
    data["service_quotes"][0][field] = value
    ids = [found.id for found in verify_plan(Plan.model_validate(data)) if not found.ok]
    assert any(name.startswith(f"{check}[") and "egress" in name for name in ids)


@pytest.mark.parametrize(
    ("row", "field", "words"),
    [
        ("gcp,*,egress,,,gb,USD,,,,", "price", "a price (0 where the seller says that it is free)"),
        ("gcp,*,egress,,0.1,gb_month,USD,,,,", "price_unit", "one of gb, gib"),
        ("gcp,*,storage,,0.1,gb,USD,,,,", "price_unit", "one of gb_month, gib_month"),
        ("gcp,*,egress,month,0.1,gb,USD,,,,", "term", "nothing"),
        ("gcp,*,egress,,0.1,gb,,,,,", "currency", "an ISO code"),
        ("gpc,*,egress,,0.1,gb,USD,,,,", "provider", "Did you mean gcp?"),
        ("gcp,r-7,egress,,0.1,gb,USD,,,,", "region", "Did you mean r-"),
        ("gcp,*,egress,,0.1,gb,USD,,2026-12-01,2026-11-01,", "valid_to", "a day not before 2026-12-01"),
        ("gcp,*,egress,,0.1,gb,USD,,,,\ngcp,*,egress,,0.2,gb,USD,,,,", "region", "Line 2 means it too"),
        ("gcp,r-*,egress,,0.1,gb,USD,,,,\ngcp,?-0,egress,,0.2,gb,USD,,,,", "region", "Line 2 means it too"),
    ],
)
def test_what_is_refused(tmp_path: Path, row: str, field: str, words: str) -> None:
    path = tmp_path / "quotes.csv"
    path.write_text(f"{HEADER}{row}\n", encoding="utf-8")
    shop = Shop()
    with pytest.raises(InputError) as caught:
        read_quote_file(path, shop.offers(), AS_OF, shop)
    (problem,) = caught.value.problems
    assert problem.field == field
    assert words in str(problem)


def test_a_machines_column_says_nothing_of_traffic(tmp_path: Path) -> None:
    path = tmp_path / "quotes.csv"
    path.write_text(
        "provider,region,instance_type,term,price,price_unit,currency,discount_percent\ngcp,*,egress,,1,gb,USD,5\n",
        encoding="utf-8",
    )
    with pytest.raises(InputError, match="discount_percent"):
        read_quote_file(path, Shop().offers(), AS_OF)


def test_quotes_out_of_date_are_named(planned: Callable[..., Plan], tmp_path: Path) -> None:
    """Whatever ended or has not begun is not planned on, and the plan says so with file, line, offer and day."""
    rows = (
        "gcp,r-0,a2-ultragpu-1g,on_demand,0.5,hour,USD,,,2026-11-29,\n"
        "gcp,*,egress,,0.01,gb,USD,,2026-12-01,,\n"
        "gcp,*,cold-storage,,0.01,gb_month,USD,,,2026-11-30,\n"
    )
    plan = planned(rows, Shop("0.12"))
    file = tmp_path / "quotes.csv"
    ended = f"{file}:2: the quote for gcp/r-0/a2-ultragpu-1g on_demand ended on 2026-11-29: not planned on"
    early = f"{file}:3: the quote for gcp/*/egress begins on 2026-12-01: not planned on"
    assert plan.notes == (ended, early)
    assert in_chinese(ended) == f"{file}:2：gcp/r-0/a2-ultragpu-1g on_demand 的报价已于 2026-11-29 到期，未用于规划"
    assert in_chinese(early) == f"{file}:3：gcp/*/egress 的报价自 2026-12-01 起生效，未用于规划"
    assert beside(plan)["internet egress"].cost == 6  # 50 x 0.12
    assert beside(plan)["cold"].cost == 24  # the last day still counts: 200 x 12 x 0.01


def test_a_frame_contract_that_ended_is_named_once(planned: Callable[..., Plan], tmp_path: Path) -> None:
    (tmp_path / "frame.csv").write_text(
        "provider,region,instance_type,term,discount_percent,valid_to\ngcp,*,*,*,20,2026-01-31\n", encoding="utf-8"
    )
    shop = Shop()
    read = read_quote_file(tmp_path / "frame.csv", shop.offers(), AS_OF, shop)
    assert [(line.what, line.is_early, line.last) for line in read.outside] == [("gcp/*/* *", False, date(2026, 1, 31))]


def test_countries_of_a_file_are_asked_for_like_those_of_the_command_line(planned: Callable[..., Plan]) -> None:
    with pytest.raises(InputError) as caught:
        planned("", Shop("0.12"), "countries: [ZZ, US]\n")
    (problem,) = caught.value.problems
    assert (problem.field, problem.found) == ("countries", "'ZZ'")
    assert "Offers lie in" in (problem.suggestion or "")


def test_a_place_that_only_the_users_quotes_know(planned: Callable[..., Plan], tmp_path: Path) -> None:
    """A lessor of the user's own, in a country without list prices, may be asked for by name and country."""
    header = HEADER.rstrip("\n") + ",gpu_model,gpu_count,country\n"
    row = "my-lessor,hall,box,on_demand,3,hour,USD,,,,,A100-SXM4-80GB,8,IS\nmy-lessor,*,egress,,0.01,gb,USD,,,,,,,\n"
    path = tmp_path / "own.csv"
    path.write_text(header + row, encoding="utf-8")
    source = str(tmp_path / "w.yaml")
    text = WORK.replace("quotes.csv", "own.csv") + "countries: [IS]\nproviders: [my-lessor]\n"
    plan, _ = Planner(parse_workload(text, source), Shop("0.12"), PlanOptions(as_of=AS_OF, extras=False), source).plan()
    assert {used.provider for used in plan.assignments} == {"my-lessor"}
    assert beside(plan)["internet egress"].cost == D("0.5")  # 50 x 0.01


def own_lessor(tmp_path: Path, country: str, currency: str = "USD") -> Plan:
    header = HEADER.rstrip("\n") + ",gpu_model,gpu_count,country\n"
    row = f"my-lessor,hall,box,on_demand,0.01,hour,{currency},,,,,A100-SXM4-80GB,8,{country}\n"
    (tmp_path / "own.csv").write_text(header + row, encoding="utf-8")
    source = str(tmp_path / "w.yaml")
    text = WORK.replace("quotes.csv", "own.csv") + "countries: [US, IS]\n"
    options = PlanOptions(as_of=AS_OF, extras=False)
    offers = tuple(offer.model_copy(update={"country": "US"}) for offer in Shop().offers())
    shop = Shop("0.12")
    shop._shop = offers
    return Planner(parse_workload(text, source), shop, options, source).plan()[0]


def test_a_quote_without_a_country_is_named_where_countries_are_asked_for(tmp_path: Path) -> None:
    """By far the cheapest, and not used: whether it lies in one of the countries is not known."""
    plan = own_lessor(tmp_path, "")
    assert {used.provider for used in plan.assignments} == {"gcp"}
    (note,) = plan.notes
    assert note.startswith(f"{tmp_path / 'own.csv'}:2: the quote for my-lessor/hall/box on_demand names no country")
    assert "请填写 country 列，如 CN" in in_chinese(note)
    (caution,) = plan.cautions
    assert f"{tmp_path / 'own.csv'}:2" in caution.text_en
    assert "结论可能改变" in caution.text_zh


def test_a_quote_with_its_country_needs_no_note(tmp_path: Path) -> None:
    plan = own_lessor(tmp_path, "IS")
    assert (plan.notes, plan.cautions) == ((), ())


def test_a_quote_in_a_currency_without_a_rate_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        own_lessor(tmp_path, "IS", "XAU")
    (problem,) = caught.value.problems
    assert (problem.line, problem.field, problem.found) == (2, "currency", "'XAU'")
    assert "有汇率" in told(problem)


def test_sizing_refuses_unknown_places_as_planning_does(tmp_path: Path) -> None:
    path = tmp_path / "w.yaml"
    path.write_text(WORK.replace("quotes: quotes.csv\n", "countries: [ZZ]\nproviders: [nosuch]\n"), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        fit_workload(path)
    assert [problem.field for problem in caught.value.problems] == ["countries", "providers"]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("gcp,r-7,egress,,,gb,USD,,,,", ("gcp 的地域", "价格（卖方说明免费时写 0）")),
        ("gcp,*,egress,month,1,gb,USD,,,,\ngcp,*,egress,,0.2,gb,USD,,,,", ("空缺：存储与流量按使用付费",)),
        ("gcp,*,egress,,1,gb,USD,,,,\ngcp,*,egress,,0.2,gb,USD,,,,", ("每个地点只有一份有效报价", "第 2 行也指该地点")),
    ],
)
def test_what_is_refused_is_said_in_chinese(tmp_path: Path, row: str, words: tuple[str, ...]) -> None:
    path = tmp_path / "quotes.csv"
    path.write_text(f"{HEADER}{row}\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_quote_file(path, Shop().offers(), AS_OF)
    said = "\n".join(map(told, caught.value.problems))
    assert [word for word in words if word not in said] == []


def test_a_slip_in_a_machines_line_does_not_make_its_seller_unknown(tmp_path: Path) -> None:
    header = HEADER.rstrip("\n") + ",gpu_model,gpu_count,country\n"
    rows = "mine,hall,box,on_demand,3,hour,RMB,,,,,A100-SXM4-80GB,8,CN\nmine,hall,egress,,0,gb,CNY,,,,,,,\n"
    path = tmp_path / "own.csv"
    path.write_text(header + rows, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_quote_file(path, Shop().offers(), AS_OF)
    (problem,) = caught.value.problems
    assert (problem.line, problem.field) == (2, "currency")

"""Which quotes a plan needs, the file to fill in and the letter; expected by the rules stated in the module."""

import csv
import io
import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from optimizer.app.quotes import REASON_TEXTS, Reason, letter, quotes_line, quotes_needed, template_csv, term_text
from optimizer.app.service_quotes import services_needed
from optimizer.catalog.quote_lines import REQUIRED
from optimizer.catalog.quotes import read_quote_file, read_quotes
from optimizer.cli._main import run
from optimizer.domain.offer import Machine, Offer, Price, PriceKind, PriceUnit, Term
from optimizer.domain.plan import Plan, Purchase, Unknown

TODAY = date(2026, 11, 30)
START = date(2026, 12, 1)


def an_offer(
    provider: str = "alibaba", country: str | None = "CN", terms: tuple[Term, ...] = (Term.ON_DEMAND,)
) -> Offer:
    machine = Machine(
        provider=provider,
        instance_type="ecs.gn8is",
        gpu_model="L20",
        gpu_count=8,
        gpu_memory_gib=48,
        gpu_memory_usable_gib=44.6,
    )
    prices = tuple(
        Price(term=term, amount=Decimal(100), unit=PriceUnit.HOUR, currency="CNY", source="list") for term in terms
    )
    return Offer(provider=provider, region="cn-beijing", country=country, machine=machine, prices=prices)


def own_offer() -> Offer:
    """A machine of a seller that no catalog has."""
    machine = Machine(
        provider="某云",
        instance_type="8卡H20",
        gpu_model="H20-96GB",
        gpu_count=8,
        gpu_memory_gib=96,
        gpu_memory_usable_gib=95,
        vcpus=192,
        ram_gib=2048,
    )
    price = Price(
        term=Term.ON_DEMAND,
        amount=Decimal(100),
        unit=PriceUnit.HOUR,
        currency="CNY",
        source="q.csv:2",
        kind=PriceKind.QUOTE,
    )
    return Offer(provider="某云", region="北京", country="CN", machine=machine, prices=(price,))


def a_line(offer: Offer, observed: date | None = TODAY, end: date = date(2026, 12, 31), **fields: Any) -> Purchase:
    values: dict[str, Any] = {
        "kind": "machine",
        "provider": offer.provider,
        "region": offer.region,
        "instance_type": offer.instance_type,
        "term": Term.ON_DEMAND,
        "count": 2,
        "quantity": Decimal(10),
        "unit": "hour",
        "start": START,
        "end": end,
        "start_day": 0,
        "end_day": 30,
        "unit_price": Decimal(100),
        "price_currency": "CNY",
        "fx_rate": Decimal(1),
        "cost": Decimal(1000),
        "observed": observed,
        "source": "list",
        "workloads": ("a",),
    }
    return Purchase(**(values | fields))


def a_plan(offer: Offer, *lines: Purchase, **fields: Any) -> Plan:
    values: dict[str, Any] = {
        "status": "optimal",
        "currency": "CNY",
        "as_of": TODAY,
        "start": START,
        "horizon_days": 365,
        "horizon_months": 12,
        "after_horizon": "stop",
        "profile": "documents",
        "cost": None,
        "purchases": lines,
        "offers": (offer,),
        "inputs": {},
        "versions": {},
    }
    return Plan(**(values | fields))


def unknown(offer: Offer, rule: str = "ram-total") -> Unknown:
    return Unknown(
        offer=offer.key, rule=rule, what_en=f"Host memory ({rule})?", what_zh=f"主机内存（{rule}）？", confirm_with=""
    )


class TestWhatNeedsAQuote:
    @pytest.mark.parametrize(
        ("observed", "reasons"),
        [
            (date(2026, 10, 1), []),  # 60 days before 2026-11-30
            (date(2026, 9, 30), [Reason.OLD]),  # 61 days
            (None, [Reason.UNDATED]),
        ],
    )
    def test_age(self, observed: date | None, reasons: list[Reason]) -> None:
        offer = an_offer()
        needed = quotes_needed(a_plan(offer, a_line(offer, observed)))
        assert [reason for quote in needed for reason in quote.reasons] == reasons

    def test_ages_count_to_the_day_asked_for(self) -> None:
        offer = an_offer()
        plan = a_plan(offer, a_line(offer, date(2026, 11, 1)))
        assert quotes_needed(plan) == []
        (quote,) = quotes_needed(plan, date(2027, 3, 1))
        # 2026-11-01 to 2027-03-01: 29 + 31 + 31 + 28 + 1 days.
        assert (quote.reasons, quote.age_days) == ((Reason.OLD,), 120)

    def test_unknown_facts_are_asked_once_each(self) -> None:
        offer = an_offer()
        unknowns = (unknown(offer), unknown(offer), unknown(offer, "ecc"))
        (quote,) = quotes_needed(a_plan(offer, a_line(offer), unknowns=unknowns))
        assert quote.reasons == (Reason.CONDITIONAL,)
        assert [fact.rule for fact in quote.facts] == ["ram-total", "ecc"]

    def test_market_levels_and_missing_storage_prices(self) -> None:
        offer = an_offer()
        line = a_line(offer, price_kind="market_quote")
        plan = a_plan(offer, line, incomplete=(f"a: storage on {offer.key}",))
        (quote,) = quotes_needed(plan)
        assert quote.reasons == (Reason.MARKET,)
        (service,) = services_needed(plan)
        assert (service.kind, service.provider, service.region) == ("storage", "alibaba", "cn-beijing")
        assert quotes_line(plan, "en").startswith("Quotes that would confirm this plan: 2 (")

    def test_a_quote_is_its_own_confirmation(self) -> None:
        offer = an_offer()
        assert quotes_needed(a_plan(offer, a_line(offer, None, price_kind="quote"))) == []

    def test_the_same_offer_on_two_terms_needs_two(self) -> None:
        offer = an_offer()
        lines = (a_line(offer, None), a_line(offer, None), a_line(offer, None, term=Term.MONTH, unit="month"))
        needed = quotes_needed(a_plan(offer, *lines))
        assert [(quote.term, quote.unit) for quote in needed] == [
            (Term.MONTH, PriceUnit.MONTH),
            (Term.ON_DEMAND, PriceUnit.HOUR),
        ]

    def test_owned_machines_and_storage_lines_need_none(self) -> None:
        offer = an_offer()
        lines = (a_line(offer, None, term=Term.OWNED), a_line(offer, None, kind="storage"))
        assert quotes_needed(a_plan(offer, *lines)) == []


def test_the_first_screen_says_how_many() -> None:
    offer = an_offer()
    assert quotes_line(a_plan(offer, a_line(offer, None)), "en").startswith("Quotes that would confirm this plan: 1 (")
    assert "报价份数：1（" in quotes_line(a_plan(offer, a_line(offer, None)), "zh")
    assert quotes_line(a_plan(offer, a_line(offer)), "en") == ""


class TestUnpublishedYearlyPrices:
    LONG = date(2027, 5, 30)  # 180 days after 2026-12-01

    def test_half_a_year_in_china_asks_for_the_year(self) -> None:
        offer = an_offer()
        (quote,) = quotes_needed(a_plan(offer, a_line(offer, end=self.LONG)))
        assert (quote.term, quote.unit, quote.listed, quote.reasons) == (
            Term.YEAR,
            PriceUnit.YEAR,
            None,
            (Reason.NOT_PUBLISHED,),
        )

    @pytest.mark.parametrize(
        "offer", [an_offer(country="US"), an_offer(country=None), an_offer(terms=(Term.ON_DEMAND, Term.YEAR))]
    )
    def test_not_elsewhere_and_not_when_it_is_published(self, offer: Offer) -> None:
        assert quotes_needed(a_plan(offer, a_line(offer, end=self.LONG))) == []

    def test_not_for_short_work(self) -> None:
        offer = an_offer()
        assert quotes_needed(a_plan(offer, a_line(offer, end=date(2027, 5, 29)))) == []


class TestFileAndLetter:
    def test_the_file_is_read_back_once_filled_in(self, tmp_path: Path) -> None:
        offer = an_offer()
        rows = list(csv.DictReader(io.StringIO(template_csv(quotes_needed(a_plan(offer, a_line(offer, None))), "en"))))
        assert set(REQUIRED) <= set(rows[0])
        assert rows[0]["price"] == ""
        assert rows[0]["note"] == "listed at 100 CNY per hour (undated); its price carries no date"
        rows[0]["price"] = "80"
        path = tmp_path / "quotes.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        (read,) = read_quotes(path, [offer], TODAY)
        price = read.price(Term.ON_DEMAND)
        assert price is not None
        assert (price.amount, price.kind) == (Decimal(80), "quote")

    def test_a_machine_that_only_quotes_know_is_described_again(self, tmp_path: Path) -> None:
        """The template alone, with a price in it, gives the same machine: nobody else knows its GPUs and country."""
        offer = own_offer()
        needed = quotes_needed(a_plan(offer, a_line(offer, price_kind="quote"), unknowns=(unknown(offer),)))
        rows = list(csv.DictReader(io.StringIO(template_csv(needed, "en"))))
        rows[0]["price"] = "80"
        path = tmp_path / "quotes.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        (read,) = read_quotes(path, [], TODAY)
        assert (read.key, read.country) == (offer.key, "CN")
        described = (read.machine.gpu_model, read.machine.gpu_count, read.machine.vcpus, read.machine.ram_gib)
        assert described == ("H20-96GB", 8, 192, 2048)

    def test_a_quote_of_the_seller_is_no_list_price(self) -> None:
        offer = own_offer()
        plan = a_plan(offer, a_line(offer, price_kind="quote"), unknowns=(unknown(offer),))
        (row,) = csv.DictReader(io.StringIO(template_csv(quotes_needed(plan), "zh")))
        assert row["note"] == "已报价 100 CNY/小时（2026-11-30）；有 1 项事实未知"
        english = letter(quotes_needed(plan), "en", TODAY, plan)
        assert "quoted at 100 CNY per hour (2026-11-30)" in english
        assert "listed" not in english

    def test_the_letter_says_that_the_last_day_is_exclusive(self) -> None:
        offer = an_offer()
        plan = a_plan(offer, a_line(offer, None))
        assert "| 止（不含） |" in letter(quotes_needed(plan), "zh", TODAY, plan)
        assert "| to (exclusive) |" in letter(quotes_needed(plan), "en", TODAY, plan)

    def test_storage_whose_price_has_no_date_is_asked_for_like_any_other(self) -> None:
        """What the screen lists under quotes to get: the hot and the cold tier and traffic, each once a place."""
        offer = an_offer()
        undated: dict[str, Any] = {"unit_price": Decimal("0.10"), "unit": "GB-month", "term": None, "workloads": ("w",)}
        lines = (
            a_line(offer, None, kind="storage", note="hot: disk", **undated),
            a_line(offer, None, kind="storage", note="hot: disk", **undated),
            a_line(offer, None, kind="storage", note="cold: archive", **undated),
            a_line(offer, None, kind="egress", note="internet egress", **undated),
            a_line(offer, TODAY, kind="storage", note="hot: dated", **undated),
        )
        plan = a_plan(offer, a_line(offer), *lines)
        assert [service.kind for service in services_needed(plan)] == ["cold-storage", "egress", "storage"]
        rows = list(csv.DictReader(io.StringIO(template_csv([], "zh", services_needed(plan)))))
        assert rows[2]["note"] == "目录价 0.1 CNY，无日期；用于 w"
        assert rows[2]["price"] == ""

    @pytest.mark.parametrize(
        ("language", "words"),
        [
            (
                "en",
                [
                    "Request for quotation: alibaba",
                    "8 x L20",
                    "by the year",
                    "no list price known",
                    "Host memory (ecc)?",
                ],
            ),
            ("zh", ["询价函：alibaba", "8 x L20", "包年", "无目录价", "主机内存（ecc）？"]),
        ],
    )
    def test_the_letter_names_machines_dates_and_facts(self, language: Any, words: list[str]) -> None:
        offer = an_offer()
        line = a_line(offer, None, end=date(2027, 12, 1))
        plan = a_plan(offer, line, unknowns=(unknown(offer, "ecc"),), incomplete=(f"a: storage on {offer.key}",))
        text = letter(quotes_needed(plan), language, TODAY, plan)
        for word in (*words, "2026-12-01", "2027-12-01"):
            assert word in text
        assert text.count("(ecc)") + text.count("（ecc）") == 1

    def test_storage_and_traffic_are_asked_for_in_the_form_that_is_read(self, tmp_path: Path) -> None:
        """A plan that lacks three prices of two workloads: three lines, accepted as soon as a price stands in them."""
        offer = an_offer()
        lacking = ("a: storage on", "a: cold storage on", "a: egress on", "b: c: egress on")
        plan = a_plan(offer, a_line(offer), incomplete=tuple(f"{what} {offer.key}" for what in lacking))
        services = services_needed(plan)
        rows = list(csv.DictReader(io.StringIO(template_csv(quotes_needed(plan), "en", services))))
        assert [(row["instance_type"], row["price_unit"], row["term"]) for row in rows] == [
            ("cold-storage", "gb_month", ""),
            ("egress", "gb", ""),
            ("storage", "gb_month", ""),
        ]
        assert rows[1]["note"] == "no list price known; for a, b: c"
        for row in rows:
            row["price"] = "0.5"
        path = tmp_path / "quotes.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        read = read_quote_file(path, [offer], TODAY)
        assert [(quote.kind, quote.amount, quote.currency) for quote in read.services] == [
            ("cold-storage", Decimal("0.5"), "CNY"),
            ("egress", Decimal("0.5"), "CNY"),
            ("storage", Decimal("0.5"), "CNY"),
        ]
        asked = letter([], "en", TODAY, plan, services)
        assert "Please quote what data costs in cn-beijing: storage for data at rest (per GB and month)" in asked
        assert "storage (per GB and month, rate and IOPS)" in asked

    def test_each_seller_has_a_section(self) -> None:
        one, other = an_offer(), an_offer("tencent")
        plan = a_plan(one, a_line(one, None), a_line(other, None)).model_copy(update={"offers": (one, other)})
        text = letter(quotes_needed(plan), "en", TODAY, plan)
        assert text.count("# Request for quotation") == 2

    def test_every_term_has_words(self) -> None:
        for term in Term:
            if term is not Term.OWNED:
                assert term_text(term).en
                assert term_text(term).zh
        assert term_text(Term.RESERVED_3Y).zh == "预留 36 个月"

    def test_every_reason_has_words(self) -> None:
        assert set(REASON_TEXTS) == set(Reason)


class TestCommand:
    def _plan(self, tmp_path: Path) -> Path:
        offer = an_offer()
        path = tmp_path / "plan.json"
        path.write_text(a_plan(offer, a_line(offer, None)).model_dump_json(), encoding="utf-8")
        return path

    def test_it_writes_both_files(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        out, rfq = tmp_path / "quotes.csv", tmp_path / "rfq.md"
        plan = self._plan(tmp_path)
        assert run(["quotes", "template", "--plan", str(plan), "--out", str(out), "--letter", str(rfq)]) == 0
        assert out.read_text().startswith("provider,region,instance_type,term,price,")
        assert rfq.read_text().startswith("# Request for quotation")
        shown = capsys.readouterr()
        assert shown.out == ""
        assert "Quotes that would confirm this plan: 1." in shown.err

    def test_json_alone_on_stdout(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["quotes", "template", "--plan", str(self._plan(tmp_path)), "--json", "--lang", "zh"]) == 0
        (quote,) = json.loads(capsys.readouterr().out)["quotes"]
        assert (quote["offer"], quote["reasons"]) == ("alibaba/cn-beijing/ecs.gn8is", ["undated"])

    def test_a_missing_plan_is_bad_input(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["quotes", "template", "--plan", str(tmp_path / "none.json")]) == 2
        assert "none.json" in capsys.readouterr().err

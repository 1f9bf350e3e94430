"""The catalog as a record: history of refreshes, differences between versions, a plan at another day's prices."""

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from optimizer.app.price_record import changes_between, prices_of, reprice
from optimizer.catalog import load_catalog
from optimizer.catalog.changes import PriceKey, PriceTable, compare, compare_offers
from optimizer.catalog.generations import history_file
from optimizer.catalog.history import read_history
from optimizer.catalog.record import as_of, observations, offers_as_of
from optimizer.cli._catalog_history import sparkline
from optimizer.cli._main import run
from optimizer.domain.offer import Offer, Term
from optimizer.domain.plan import Cost
from optimizer.errors import InputError
from optimizer.planning.case import PlanOptions
from optimizer.planning.pipeline import Planner
from optimizer.planning.workload_file import parse_workload
from tests.quotes.test_quotes_needed import a_line, a_plan
from tests.refresh import fakes
from tests.refresh.conftest import House


@pytest.fixture
def seen_twice(house: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """Two refreshes a month apart: x became dearer, y cheaper, z went, w came, v is now in yuan."""
    dated = {"x": ("1", "1.5"), "y": ("4", "3"), "z": ("7", None), "w": (None, "9"), "v": ("5", "35"), "u": ("2", "2")}
    for number, day in enumerate((date(2026, 10, 30), date(2026, 11, 30))):
        monkeypatch.setattr(fakes, "DAY", day)
        currencies = {"v": "CNY"} if number else {}
        offers = [
            fakes.offer("a", name, prices[number] or "", currency=currencies.get(name, "USD"))
            for name, prices in dated.items()
            if prices[number]
        ]
        house.behaviours = {"a": fakes.giving(*offers)}
        house.refresh(accept=True)
    facts = house.root.parent / "shipped" / "facts" / "price_history.csv"
    facts.write_text("provider,region,instance_type,gpu_model,gpu_count,term,amount,unit,currency,source,observed\n")
    regions = facts.with_name("regions.csv")
    regions.write_text("provider,region,canonical_region,country,jurisdiction,source,observed,note\n")
    from optimizer.catalog.index import write_index

    write_index(house.root.parent / "shipped")
    monkeypatch.setenv("OPTIMIZE_DATA_DIR", str(house.root.parent))
    return house


class TestHistory:
    def test_every_refresh_is_recorded(self, seen_twice: House) -> None:
        amounts = [(seen.day, seen.amount) for seen in observations(seen_twice.root, "a/r1/x")]
        assert amounts == [(date(2026, 10, 30), Decimal(1)), (date(2026, 11, 30), Decimal("1.5"))]

    def test_a_record_of_a_refresh_that_never_ended_is_not_read(self, seen_twice: House) -> None:
        history_file(seen_twice.root, 3).write_bytes(history_file(seen_twice.root, 1).read_bytes())
        assert len(read_history(seen_twice.root, provider="a", region="r1", instance_type="x")) == 2

    def test_as_of_is_the_newest_not_after_the_day(self, seen_twice: House) -> None:
        seen = observations(seen_twice.root)
        key = PriceKey("a/r1/x", "on_demand")
        assert key not in as_of(seen, date(2026, 10, 29))
        assert as_of(seen, date(2026, 11, 29))[key].amount == 1
        assert as_of(seen, date(2026, 11, 30))[key].amount == Decimal("1.5")

    def test_the_command_draws_a_line_for_each_term(
        self, seen_twice: House, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run(["catalog", "history", "a/r1/x"]) == 0
        shown = capsys.readouterr().out
        assert "on demand  ▁█" in shown
        assert "2026-10-30  1 USD/hour" in shown
        assert run(["catalog", "history", "a/r1/x", "--json", "--as-of", "2026-11-01"]) == 0
        assert [entry["amount"] for entry in json.loads(capsys.readouterr().out)["observations"]] == ["1"]

    def test_a_name_that_is_no_offer(self, seen_twice: House, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["catalog", "history", "H100"]) == 2
        assert "provider/region/instance_type" in capsys.readouterr().err
        assert run(["catalog", "history", "a/r1/never"]) == 0
        shown = capsys.readouterr().out
        assert "ever seen" in shown
        assert run(["catalog", "history", "a/r1/xx"]) == 0
        assert "Offers with such a name: a/r1/x" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("amounts", "bars"), [([], ""), ([1], ""), ([1, 1], "▁▁"), ([1, 8], "▁█"), ([0, 7, 3], "▁█▄")]
    )
    def test_sparkline(self, amounts: list[int], bars: str) -> None:
        assert sparkline([Decimal(amount) for amount in amounts]) == bars


class TestDifferences:
    @pytest.mark.parametrize(("before", "after"), [("previous", "current"), ("1", "2"), ("2026-10-30", "2026-11-30")])
    def test_versions(self, seen_twice: House, before: str, after: str) -> None:
        changes = compare(prices_of(before, seen_twice.root), prices_of(after, seen_twice.root))
        assert [change.offer for change in changes.dearer] == ["a/r1/x"]
        assert [change.offer for change in changes.cheaper] == ["a/r1/y"]
        assert [change.offer for change in changes.restated] == ["a/r1/v"]
        assert [change.offer for change in changes.new] == ["a/r1/w"]
        # A price that went is still the newest of its day; only whole versions know that it went.
        gone = ["a/r1/z"] if before in ("previous", "1") else []
        assert [change.offer for change in changes.gone] == gone

    def test_the_command(self, seen_twice: House, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["catalog", "diff"]) == 0
        shown = capsys.readouterr().out
        assert "1 gone, 1 new, 1 dearer, 1 cheaper, 1 in another unit or currency, 1 same." in shown
        assert "a/r1/x, on demand  1 USD/hour → 1.5 USD/hour  +50.0 %" in shown
        assert "a/r1/y, on demand  4 USD/hour → 3 USD/hour  -25.0 %" in shown
        assert run(["catalog", "diff", "--json", "--provider", "b"]) == 2
        assert "a provider of these catalogs" in capsys.readouterr().err
        assert run(["catalog", "diff", "--json", "--provider", "a"]) == 0
        assert json.loads(capsys.readouterr().out)["same"] == 1

    def test_a_version_against_a_day_leaves_the_undated_out(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        """All prices of vast are undated: they are not gone on that day, and no GPU model vanished with them."""
        monkeypatch.setenv("OPTIMIZE_DATA_DIR", str(tmp_path))
        changes = changes_between("shipped", "2026-11-30")
        assert [change.offer for change in changes.gone] == []
        assert changes.models_lost == ()
        assert "vast" in prices_of("shipped").providers
        assert "vast" not in prices_of("shipped").dated().providers

    def test_an_unknown_version_is_named(self, seen_twice: House) -> None:
        with pytest.raises(InputError, match="no '7'"):
            prices_of("7", seen_twice.root)

    def test_ratio_needs_one_currency_and_unit(self) -> None:
        changes = compare_offers([fakes.offer("a", "x", "2")], [fakes.offer("a", "x", "3")])
        assert changes.dearer[0].ratio == Decimal("1.5")
        other = compare_offers([fakes.offer("a", "x", "2")], [fakes.offer("a", "x", "3", currency="CNY")])
        assert other.restated[0].ratio is None

    def test_equal_sets(self) -> None:
        offers: list[Offer] = fakes.many("a", 3, "1")
        changes = compare_offers(offers, offers)
        assert changes.is_empty
        assert (changes.same, changes.share_lost, changes.is_alarming) == (3, 0.0, False)
        assert compare(PriceTable({}), PriceTable({})).is_empty


def test_the_shipped_superseded_prices_prove_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """RunPod's secure H100 SXM cost 3.29 USD in August and 3.99 in November 2026 (offers/README, trap 1)."""
    monkeypatch.setenv("OPTIMIZE_DATA_DIR", str(tmp_path))
    changes = compare(prices_of("2026-08-31").only("runpod"), prices_of("2026-11-30").only("runpod"))
    (change,) = [entry for entry in changes.dearer if entry.offer == "runpod/global/1x_H100-SXM_secure"]
    assert change.before is not None
    assert change.after is not None
    assert (change.before.amount, change.after.amount) == ("3.29", "3.99")


class TestRepricing:
    def test_lines_scale_by_the_price_and_unknown_ones_are_left_out(self, seen_twice: House) -> None:
        x, z = fakes.offer("a", "x", "1.5"), fakes.offer("a", "never", "1")
        common = {"price_currency": "USD", "unit_price": Decimal("1.5"), "cost": Decimal(300)}
        plan = a_plan(x, a_line(x, **common), a_line(z, **common))
        repriced = reprice(plan, date(2026, 11, 1), seen_twice.root)
        # 300 x 1 / 1.5.
        assert [entry.cost for entry in repriced.lines] == [Decimal(200), None]
        assert (repriced.known_before, repriced.known_after) == (Decimal(300), Decimal(200))

    def test_another_currency_is_not_compared(self, seen_twice: House) -> None:
        offer = fakes.offer("a", "v", "5")
        line = a_line(offer, price_currency="USD", unit_price=Decimal(5), cost=Decimal(50))
        (entry,) = reprice(a_plan(offer, line), date(2026, 11, 30), seen_twice.root).lines
        assert entry.cost is None

    def test_what_is_not_priced_again_is_told(
        self, seen_twice: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        never = fakes.offer("a", "never", "1")
        line = a_line(never, price_currency="USD", unit_price=Decimal(1), cost=Decimal(300))
        path = tmp_path / "plan.json"
        sums: dict[str, Any] = {"by_month": (), "by_team": {}, "by_term": {}}
        cost = Cost(total=Decimal(450), bound=Decimal(450), gap=Decimal(0), **sums)
        path.write_text(a_plan(never, line).model_copy(update={"cost": cost}).model_dump_json())
        assert run(["catalog", "history", "--plan", str(path), "--as-of", "2026-11-01"]) == 0
        shown = capsys.readouterr().out
        assert "None of 1 machine lines has a price of 2026-11-01." in shown
        assert "Not priced again: 450.00 CNY of the plan" in shown

    def test_the_command(self, seen_twice: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        offer = fakes.offer("a", "x", "1.5")
        line = a_line(offer, price_currency="USD", unit_price=Decimal("1.5"), cost=Decimal(300))
        path = tmp_path / "plan.json"
        path.write_text(a_plan(offer, line).model_dump_json())
        assert run(["catalog", "history", "--plan", str(path), "--as-of", "2026-11-01"]) == 0
        assert (
            "1 of 1 machine lines have a price of 2026-11-01: 200.00 CNY instead of 300.00." in capsys.readouterr().out
        )
        assert run(["catalog", "history", "--plan", str(path), "--as-of", "2026-11-01", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["known"]["after"] == "200.000000"
        assert run(["catalog", "history", "--plan", str(path)]) == 2


class TestOffersAsOf:
    """What a plan of another day may rest on: nothing that was seen later."""

    def test_of_the_refreshes(self, seen_twice: House) -> None:
        catalog = load_catalog()
        assert offers_as_of(catalog, date(2026, 11, 30)) == catalog.offers()
        known = {offer.instance_type: offer for offer in offers_as_of(catalog, date(2026, 11, 1))}
        amounts = {name: [price.amount for price in offer.prices] for name, offer in known.items()}
        # w was first seen on 2026-11-30; z went with the second refresh and stands in no catalog any more.
        assert amounts == {"x": [1], "y": [4], "v": [5], "w": [], "u": [2]}
        price = known["x"].prices[0]
        assert (price.observed, price.currency, known["v"].prices[0].currency) == (date(2026, 10, 30), "USD", "USD")
        assert [offer.prices for offer in offers_as_of(catalog, date(2026, 10, 29))] == [()] * 5

    def test_of_the_shipped_superseded_prices(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """RunPod's secure H100 SXM: 3.29 USD until November 2026, then 3.99; undated prices stay as they are."""
        monkeypatch.setenv("OPTIMIZE_DATA_DIR", str(tmp_path))
        catalog = load_catalog()
        key = "runpod/global/1x_H100-SXM_secure"

        def found(day: date) -> dict[str, Offer]:
            return {offer.key: offer for offer in offers_as_of(catalog, day)}

        then, now = found(date(2026, 8, 31)), found(date(2026, 11, 30))
        prices = [offers[key].price(Term.ON_DEMAND) for offers in (then, now)]
        assert [price and price.amount for price in prices] == [Decimal("3.29"), Decimal("3.99")]
        assert all((p.observed or date.min) <= date(2026, 8, 31) for offer in then.values() for p in offer.prices)
        undated = [
            [p for offer in offers.values() for p in offer.prices if p.observed is None] for offers in (then, now)
        ]
        assert undated[0] == undated[1]

    def test_a_plan_of_that_day_pays_that_days_price(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("OPTIMIZE_DATA_DIR", str(tmp_path))
        text = """
start: 2026-12-01
profile: off
name: w
gpu_hours: {gpu: H100-SXM5-80GB, hours: 10}
providers: [runpod]
egress_gb: 0
checkpoint_gb: 0
"""
        costs = []
        for day in (date(2026, 8, 31), date(2026, 11, 30)):
            options = PlanOptions(as_of=day, extras=False, regions=("global",))
            planner = Planner(parse_workload(text, "w.yaml"), load_catalog(), options)
            plan, _ = planner.plan()
            (line,) = [line for line in plan.purchases if line.kind == "machine"]
            costs.append((line.unit_price, (line.observed or date.max) <= day))
        # Secure cloud in August; the community price of 2.69 was first seen on 2026-11-09.
        assert costs == [(Decimal("3.29"), True), (Decimal("2.69"), True)]

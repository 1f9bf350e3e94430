"""Refreshing: isolation of failures, atomic publication, the guard against loss, the record of it all."""

import json
import threading
import time
from collections.abc import Iterator

import pytest

from optimizer.app.fetching import Fetched
from optimizer.catalog import load_catalog
from optimizer.catalog.generations import current_directory, current_number, sole_writer
from optimizer.catalog.layer import layer_offers
from optimizer.domain.offer import IntraLink, Offer, Rdma
from optimizer.errors import InputError, MissingCredentials, SourceChanged
from providers._kit.contract import FetchContext, Outcome
from tests.refresh import fakes
from tests.refresh.conftest import House


def statuses(house: House, **options: object) -> dict[str, str]:
    """Refresh and tell each provider's status."""
    return {outcome.provider: outcome.status for outcome in house.refresh(**options).providers}


class TestIsolation:
    def test_one_broken_provider_leaves_the_others(self, house: House) -> None:
        def changed(context: FetchContext) -> Iterator[Outcome]:
            yield fakes.offer("b", "x", "1")
            raise SourceChanged("b: field price is missing")

        def defect(context: FetchContext) -> Iterator[Outcome]:
            yield from ()
            raise KeyError("cpu")

        house.behaviours = {"a": fakes.giving(fakes.offer("a", "x", "1")), "b": changed, "c": defect}
        result = house.refresh()
        assert [(outcome.provider, outcome.status) for outcome in result.providers] == [
            ("a", "published"),
            ("b", "failed"),
            ("c", "failed"),
        ]
        assert "b: field price is missing" in result.providers[1].reason
        assert "KeyError: 'cpu' (a defect of the adapter" in result.providers[2].reason
        assert [offer.key for offer in house.offers()] == ["a/r1/x"]

    def test_a_failed_provider_keeps_its_previous_snapshot(self, house: House) -> None:
        house.behaviours = {
            "a": fakes.giving(fakes.offer("a", "x", "1")),
            "b": fakes.giving(fakes.offer("b", "x", "2")),
        }
        house.refresh()

        def broken(context: FetchContext) -> Iterator[Outcome]:
            raise SourceChanged("gone")
            yield

        house.behaviours = {"a": broken, "b": fakes.giving(fakes.offer("b", "x", "3"))}
        house.refresh()
        assert {offer.key: offer.prices[0].amount for offer in house.offers()} == {"a/r1/x": 1, "b/r1/x": 3}

    def test_a_stuck_provider_delays_the_others_only_to_its_limit(
        self, house: House, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("optimizer.app.fetching._GRACE_SECONDS", 0.2)
        forever = threading.Event()

        def stuck(context: FetchContext) -> Iterator[Outcome]:
            forever.wait(30)
            yield fakes.offer("a", "late", "1")

        house.behaviours = {"a": stuck, "b": fakes.giving(fakes.offer("b", "x", "2"))}
        begun = time.monotonic()
        result = house.refresh(seconds=0.3)
        assert time.monotonic() - begun < 3
        assert [outcome.status for outcome in result.providers] == ["failed", "published"]
        assert "no end within 0 s" in result.providers[0].reason or "no end within 1 s" in result.providers[0].reason
        forever.set()
        time.sleep(0.05)
        assert [offer.key for offer in house.offers()] == ["b/r1/x"]

    def test_they_run_side_by_side(self, house: House) -> None:
        meeting = threading.Barrier(3, timeout=5)

        def waits(context: FetchContext) -> Iterator[Outcome]:
            meeting.wait()
            yield from ()

        house.behaviours = dict.fromkeys("abc", waits)
        assert set(statuses(house).values()) == {"published"}

    def test_missing_keys_are_skipped_and_all_failed_is_told(self, house: House) -> None:
        def keyless(context: FetchContext) -> Iterator[Outcome]:
            raise MissingCredentials("a: no credentials in A_KEY")
            yield

        house.behaviours = {"a": keyless}
        result = house.refresh()
        assert (result.generation, result.all_failed) == (None, True)
        assert result.providers[0].status == "skipped"
        assert not house.root.joinpath("CURRENT").exists()

    def test_each_end_is_reported_as_it_comes(self, house: House) -> None:
        house.behaviours = {"a": fakes.giving(fakes.offer("a", "x", "1")), "b": fakes.giving(fakes.rejected("b", "no"))}
        seen: list[Fetched] = []
        house.refresh(report=seen.append)
        assert {(result.provider, len(result.offers), len(result.rejected)) for result in seen} == {
            ("a", 1, 0),
            ("b", 0, 1),
        }

    def test_one_machine_told_twice_with_different_prices_is_rejected(self, house: House) -> None:
        twice = (fakes.offer("a", "x", "1"), fakes.offer("a", "x", "2"), fakes.offer("a", "x", "1"))
        house.behaviours = {"a": fakes.giving(*twice)}
        result = house.refresh()
        assert (result.providers[0].offers, result.providers[0].rejected) == (1, 1)


class TestGuard:
    def test_the_loss_of_more_than_a_fifth_is_held(self, house: House) -> None:
        house.behaviours = {"a": fakes.giving(*fakes.many("a", 10, "1"))}
        house.refresh()
        before = house.files()
        house.behaviours = {"a": fakes.giving(*fakes.many("a", 7, "2"))}
        result = house.refresh()
        assert (result.providers[0].status, result.generation) == ("held", None)
        assert result.providers[0].reason.startswith("3 of 10 prices would be lost")
        assert result.some_held
        assert house.files() == before

    def test_a_fifth_exactly_is_taken(self, house: House) -> None:
        house.behaviours = {"a": fakes.giving(*fakes.many("a", 10, "1"))}
        house.refresh()
        house.behaviours = {"a": fakes.giving(*fakes.many("a", 8, "1"))}
        assert statuses(house) == {"a": "published"}

    def test_the_loss_of_a_gpu_model_is_held(self, house: House) -> None:
        both = [*fakes.many("a", 20, "1"), fakes.offer("a", "other", "1", model="A10")]
        house.behaviours = {"a": fakes.giving(*both)}
        house.refresh()
        house.behaviours = {"a": fakes.giving(*fakes.many("a", 20, "1"))}
        result = house.refresh()
        assert result.providers[0].status == "held"
        assert "every A10" in result.providers[0].reason

    def test_accept_takes_it(self, house: House) -> None:
        house.behaviours = {"a": fakes.giving(*fakes.many("a", 10, "1"))}
        house.refresh()
        house.behaviours = {"a": fakes.giving(*fakes.many("a", 1, "1"))}
        assert statuses(house, accept=True) == {"a": "published"}
        assert len(house.offers()) == 1

    def test_regions_that_were_not_asked_for_stay(self, house: House) -> None:
        here, there = fakes.offer("a", "x", "1", "here"), fakes.offer("a", "x", "1", "there")
        house.behaviours = {"a": fakes.giving(here, there)}
        house.refresh()
        house.behaviours = {"a": fakes.giving(fakes.offer("a", "x", "2", "here"))}
        assert statuses(house, regions=["here"]) == {"a": "published"}
        assert {offer.region: offer.prices[0].amount for offer in house.offers()} == {"here": 2, "there": 1}


class TestPublication:
    def test_the_index_covers_every_file_with_its_checksum(self, house: House) -> None:
        house.behaviours = {"a": fakes.giving(fakes.offer("a", "x", "1"))}
        house.refresh()
        directory = current_directory(house.root)
        assert directory is not None
        index = json.loads((directory / "index.json").read_text())["files"]
        assert set(index) == {"offers/a/machines.csv", "offers/a/prices.csv"}
        (directory / "offers/a/prices.csv").write_bytes(b"tampered")
        with pytest.raises(InputError, match="sha256"):
            list(layer_offers(directory))

    def test_equal_answers_give_equal_bytes(self, house: House) -> None:
        house.behaviours = {"a": fakes.giving(*fakes.many("a", 5, "1"))}
        house.refresh()
        first = house.files()["generations/000001/offers/a/prices.csv"]
        house.refresh()
        assert house.files()["generations/000002/offers/a/prices.csv"] == first

    def test_the_generation_before_stays_for_readers_and_older_ones_go(self, house: House) -> None:
        house.behaviours = {"a": fakes.giving(fakes.offer("a", "x", "1"))}
        for _ in range(4):
            house.refresh()
        assert sorted(path.name for path in (house.root / "generations").iterdir()) == ["000003", "000004"]
        assert current_number(house.root) == 4

    def test_other_providers_are_carried_over(self, house: House) -> None:
        house.behaviours = {
            "a": fakes.giving(fakes.offer("a", "x", "1")),
            "b": fakes.giving(fakes.offer("b", "x", "1")),
        }
        house.refresh()
        house.refresh("b")
        assert {offer.provider for offer in house.offers()} == {"a", "b"}

    def test_rejected_rows_are_kept_with_their_reasons(self, house: House) -> None:
        house.behaviours = {"a": fakes.giving(fakes.offer("a", "x", "1"), fakes.rejected("a", "price: found 0"))}
        house.refresh()
        report = json.loads(house.files()["generations/000001/refresh.json"])
        assert report["rejected"]["a"] == [{"quarantined": False, "reason": "price: found 0", "row": "row"}]

    def test_two_refreshes_at_once(self, house: House) -> None:
        house.behaviours = {"a": fakes.giving(fakes.offer("a", "x", "1"))}
        with sole_writer(house.root), pytest.raises(InputError, match="another refresh at work"):
            house.refresh()
        assert statuses(house) == {"a": "published"}

    def test_a_damaged_pointer_is_named(self, house: House) -> None:
        house.behaviours = {"a": fakes.giving(fakes.offer("a", "x", "1"))}
        house.refresh()
        (house.root / "CURRENT").write_text("seven")
        with pytest.raises(InputError, match="CURRENT"):
            house.refresh()


class TestKnownFacts:
    def test_what_the_api_does_not_tell_is_taken_from_the_same_machine(self, house: House) -> None:
        known = fakes.machine("a", "x", rdma=Rdma.EFA, intra_link=IntraLink.NVSWITCH, vcpus=96, source="a|b")
        first = Offer(provider="a", region="r1", machine=known, prices=fakes.offer("a", "x", "1").prices)
        house.behaviours = {"a": fakes.giving(first)}
        house.refresh()
        fresh = fakes.machine("a", "x", vcpus=192, source="api")
        house.behaviours = {"a": fakes.giving(first.model_copy(update={"machine": fresh}))}
        house.refresh()
        machine = house.offers()[0].machine
        assert (machine.rdma, machine.intra_link, machine.vcpus) == (Rdma.EFA, IntraLink.NVSWITCH, 192)
        assert machine.facts["rdma"] == "derived: earlier snapshot (a;b)"
        assert "vcpus" not in machine.facts

    def test_a_name_without_form_factor_takes_the_one_on_record(self, house: House) -> None:
        house.behaviours = {"a": fakes.giving(fakes.offer("a", "x", "1", model="H100-SXM5-80GB"))}
        house.refresh()
        house.behaviours = {"a": fakes.giving(fakes.offer("a", "x", "1", model="H100-80GB"))}
        assert statuses(house) == {"a": "published"}
        machine = house.offers()[0].machine
        assert machine.gpu_model == "H100-SXM5-80GB"
        assert machine.facts["gpu_model"].startswith("derived: earlier snapshot")

    def test_the_data_sheet_follows_the_form_factor(self, house: House) -> None:
        """An A100 of 80 GB has at least 1,935 GB/s (PCIe), as SXM4 2,039 (NVIDIA data sheet)."""
        house.behaviours = {"a": fakes.giving(fakes.offer("a", "x", "1", model="A100-SXM4-80GB"))}
        house.refresh()
        general = fakes.machine("a", "x", "A100-80GB", memory_bandwidth_gbyte_per_s=1935)
        fresh = fakes.offer("a", "x", "1").model_copy(update={"machine": general})
        house.behaviours = {"a": fakes.giving(fresh)}
        house.refresh()
        machine = house.offers()[0].machine
        assert (machine.gpu_model, machine.memory_bandwidth_gbyte_per_s) == ("A100-SXM4-80GB", 2039)

    def test_a_type_that_changed_its_gpus_keeps_its_unknowns(self, house: House) -> None:
        known = fakes.machine("a", "x", rdma=Rdma.EFA)
        first = Offer(provider="a", region="r1", machine=known, prices=fakes.offer("a", "x", "1").prices)
        house.behaviours = {"a": fakes.giving(first)}
        house.refresh()
        house.behaviours = {"a": fakes.giving(fakes.offer("a", "x", "1", model="H200-SXM5-141GB"))}
        house.refresh(accept=True)
        assert house.offers()[0].machine.rdma is None


def test_the_user_catalog_lies_over_the_shipped_one(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.behaviours = {"runpod": fakes.giving(fakes.offer("runpod", "1x_TEST", "0.5"))}
    house.refresh()
    monkeypatch.setenv("OPTIMIZE_DATA_DIR", str(house.root.parent))
    upper, lower = load_catalog().layers
    assert upper.directory == current_directory(house.root)
    assert lower.directory.name == "shipped"

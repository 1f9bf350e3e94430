"""What holds for every adapter, whichever files lie in `providers/`."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import responses

from optimizer.domain.offer import Offer, Term
from providers._kit.contract import Provider
from providers._kit.discovery import load_provider, provider_names
from tests.providers.conftest import FAKE_KEYS, NOW, RECORDED, MakeContext, fetched
from tests.providers.replays import CLIENTS, ROUTES, play

ROOT = Path(__file__).parents[2]
NAMES = provider_names()


def test_it_finds_the_adapters() -> None:
    assert set(NAMES) >= {
        *("alibaba", "aws", "azure", "crusoe", "digitalocean", "gcp", "huawei", "hyperstack", "lambda", "nebius"),
        *("oci", "runpod", "tencent", "vast", "verda", "volcengine", "vultr"),
    }
    assert len(NAMES) >= 16


def test_listing_them_imports_none() -> None:
    code = (
        "import sys; from providers._kit.discovery import provider_names; assert provider_names();"
        "assert not [name for name in sys.modules if name.startswith('providers.') and '_kit' not in name];"
        "assert 'boto3' not in sys.modules and 'requests' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


@pytest.mark.parametrize("name", NAMES)
class TestAdapter:
    def test_it_describes_itself(self, name: str) -> None:
        provider = load_provider(name)
        assert provider.name == name
        assert provider.title
        assert provider.documentation.startswith("https://")
        assert provider.lacks, "every API lacks something that a user must know"
        assert bool(provider.credentials) or not provider.needs_key

    def test_its_extra_is_declared(self, name: str) -> None:
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
        extra = load_provider(name).extra
        assert extra is None or extras[extra], f"pyproject.toml has no extra {extra!r}"

    def test_it_has_a_recording_with_its_source(self, name: str) -> None:
        assert name in ROUTES or name in CLIENTS
        text = (RECORDED / name / "SOURCE.md").read_text()
        assert "as read 2026-11-30" in text or "@" in text
        assert list((RECORDED / name).glob("*.json"))

    def test_it_prices_every_term_that_it_says(
        self, name: str, make_context: MakeContext, web: responses.RequestsMock
    ) -> None:
        offers, _ = fetched(name, make_context(clients=play(name, web)))
        assert offers
        assert {price.term for offer in offers for price in offer.prices} == load_provider(name).terms

    def test_its_offers_are_sound(self, name: str, make_context: MakeContext, web: responses.RequestsMock) -> None:
        provider = load_provider(name)
        offers, rejected = fetched(name, make_context(clients=play(name, web)))
        keys = [offer.key for offer in offers]
        assert len(keys) == len(set(keys))
        for offer in offers:
            check_offer(offer, provider)
        for row in rejected:
            assert row.provider == name
            assert row.row
            assert row.reason

    def test_it_says_the_same_twice(self, name: str, make_context: MakeContext) -> None:
        runs = []
        for _ in range(2):
            with responses.RequestsMock(assert_all_requests_are_fired=False) as web:
                runs.append(fetched(name, make_context(clients=play(name, web))))
        assert runs[0] == runs[1]

    def test_it_needs_a_key_or_does_not(
        self, name: str, make_context: MakeContext, web: responses.RequestsMock
    ) -> None:
        if load_provider(name).needs_key:
            return
        clients = {key: client for key, client in play(name, web).items() if key != name}
        offers, _ = fetched(name, make_context(environment={}, clients=clients))
        assert offers

    def test_no_key_is_in_what_it_yields(
        self, name: str, make_context: MakeContext, web: responses.RequestsMock
    ) -> None:
        offers, rejected = fetched(name, make_context(clients=play(name, web)))
        text = "".join(record.model_dump_json() for record in (*offers, *rejected))
        assert not [value for value in FAKE_KEYS.values() if value in text]


def check_offer(offer: Offer, provider: Provider) -> None:
    """An offer of this provider, observed now, with positive prices in its currencies."""
    assert offer.provider == offer.machine.provider == provider.name
    assert offer.region
    assert offer.machine.observed == NOW.date()
    assert offer.machine.source
    terms = [price.term for price in offer.prices]
    assert terms == sorted(set(terms), key=list(Term).index)
    for price in offer.prices:
        assert price.amount > 0
        assert price.currency in provider.currencies
        assert price.observed == NOW.date()
        assert price.source


def test_the_table_of_providers_is_up_to_date() -> None:
    command = [sys.executable, "scripts/write_provider_docs.py", "--check"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr

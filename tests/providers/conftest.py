"""A context for adapters: recorded answers for the network, a fixed clock, the shipped GPU names."""

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import requests
import responses

from optimizer.app.gpu_names import gpu_finder
from optimizer.catalog import load_catalog
from optimizer.domain.offer import Offer, Price, Rejected, Term
from providers._kit.contract import FetchContext, FindGpu, Limits
from providers._kit.discovery import load_provider
from providers._kit.http import Http
from providers._kit.secrets import Secrets

RECORDED = Path(__file__).parent / "recorded"
NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
#: Keys for every provider; none of them is real.
FAKE_KEYS: dict[str, str] = {
    "ALIBABA_CLOUD_ACCESS_KEY_ID": "planted-alibaba-id",
    "ALIBABA_CLOUD_ACCESS_KEY_SECRET": "planted-alibaba-secret",
    "AWS_ACCESS_KEY_ID": "planted-aws-id",
    "AWS_SECRET_ACCESS_KEY": "planted-aws-secret",
    "AZURE_TENANT_ID": "planted-azure-tenant",
    "AZURE_CLIENT_ID": "planted-azure-client",
    "AZURE_CLIENT_SECRET": "planted-azure-secret",
    "AZURE_SUBSCRIPTION_ID": "planted-azure-subscription",
    "CLOUDSDK_AUTH_ACCESS_TOKEN": "planted-gcp-token",
    "CRUSOE_ACCESS_KEY": "planted-crusoe-access",
    "CRUSOE_SECRET_KEY": "cGxhbnRlZC1jcnVzb2Utc2VjcmV0",
    "CRUSOE_PROJECT_ID": "planted-crusoe-project",
    "DIGITALOCEAN_TOKEN": "planted-digitalocean-token",
    "GOOGLE_API_KEY": "planted-google-key",
    "GOOGLE_CLOUD_PROJECT": "planted-gcp-project",
    "HUAWEICLOUD_SDK_AK": "planted-huawei-ak",
    "HUAWEICLOUD_SDK_SK": "planted-huawei-sk",
    "HUAWEICLOUD_SDK_PROJECT_ID": "planted-huawei-project",
    "HYPERSTACK_API_KEY": "planted-hyperstack-key",
    "LAMBDA_API_KEY": "planted-lambda-key",
    "NEBIUS_IAM_TOKEN": "planted-nebius-token",
    "RUNPOD_API_KEY": "planted-runpod-key",
    "TENCENTCLOUD_SECRET_ID": "planted-tencent-id",
    "TENCENTCLOUD_SECRET_KEY": "planted-tencent-key",
    "VAST_API_KEY": "planted-vast-key",
    "VERDA_CLIENT_ID": "planted-verda-client",
    "VERDA_CLIENT_SECRET": "planted-verda-secret",
    "VOLCENGINE_ACCESS_KEY": "planted-volcengine-access",
    "VOLCENGINE_SECRET_KEY": "planted-volcengine-secret",
}

MakeContext = Callable[..., FetchContext]


@cache
def shipped_finder() -> FindGpu:
    """The lookup that a refresh uses."""
    return gpu_finder(load_catalog())


def recorded(path: str) -> Any:
    """A recorded answer, by `provider/file.json`."""
    return json.loads((RECORDED / path).read_text(encoding="utf-8"))


@pytest.fixture
def make_context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeContext:
    """Builds a context; keyword arguments replace fields. boto3 finds no credentials by itself."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("HOME", str(tmp_path))

    def make(environment: Mapping[str, str] = FAKE_KEYS, limits: Limits | None = None, **fields: Any) -> FetchContext:
        limits = limits or Limits()
        return FetchContext(
            **{
                "http": Http(requests.Session(), limits, sleep=lambda seconds: None),
                "secrets": Secrets(environment, tmp_path),
                "find_gpu": shipped_finder(),
                "clock": lambda: NOW,
                "sleep": lambda seconds: None,
                "logger": logging.getLogger("providers.test"),
                "limits": limits,
                **fields,
            }
        )

    return make


@pytest.fixture
def web() -> Iterator[responses.RequestsMock]:
    """Answers for `requests`; anything not registered fails."""
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        yield mock


def fetched(name: str, context: FetchContext) -> tuple[list[Offer], list[Rejected]]:
    """What an adapter yields, parted."""
    outcomes = list(load_provider(name).fetch(context))
    offers = [outcome for outcome in outcomes if isinstance(outcome, Offer)]
    return offers, [outcome for outcome in outcomes if isinstance(outcome, Rejected)]


class Replay:
    """One provider's recording, fetched: offers by `region/instance_type`, prices by term, reasons by row."""

    def __init__(self, offers: list[Offer], rejected: list[Rejected]) -> None:
        self.offers = {offer.key.partition("/")[2]: offer for offer in offers}
        self.rejected = rejected

    def price(self, key: str, term: Term) -> Price:
        """The price of one offer on one term."""
        (found,) = [price for price in self.offers[key].prices if price.term is term]
        return found

    def terms(self, key: str) -> set[Term]:
        """The terms that an offer is sold on."""
        return {price.term for price in self.offers[key].prices}

    def reason(self, part: str) -> str:
        """The only reason whose row holds a text."""
        (found,) = [row.reason for row in self.rejected if part in row.row]
        return found

    def reasons(self, part: str) -> str:
        """All reasons of rows that hold a text, one a line."""
        return "\n".join(row.reason for row in self.rejected if part in row.row)


@pytest.fixture
def replay(make_context: MakeContext, web: responses.RequestsMock) -> Callable[..., Replay]:
    """Plays a provider's recording."""
    from tests.providers.replays import play

    def run(name: str, **fields: Any) -> Replay:
        clients = fields.pop("clients", None)
        return Replay(*fetched(name, make_context(clients=clients or play(name, web), **fields)))

    return run

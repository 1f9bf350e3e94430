"""Whole refreshes of the real adapters: no key shows anywhere, and a bad answer leaves the catalog as it was."""

import logging
import re
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
import responses

from optimizer.app.fetching import Surroundings
from optimizer.app.refresh import RefreshResult, refresh_catalog
from optimizer.catalog import load_catalog
from optimizer.catalog.check import check_catalog
from optimizer.catalog.findings import Level
from optimizer.catalog.generations import current_directory
from optimizer.cli._main import run
from providers._kit.contract import Limits
from providers._kit.discovery import provider_names
from tests.providers.conftest import FAKE_KEYS, NOW, shipped_finder
from tests.providers.replays import CLIENTS, play
from tests.providers.test_bad_servers import GOOD, Behaviour, reply, serve

__all__ = ["serve"]
QUICK = Limits(connect_seconds=1, read_seconds=1, total_seconds=5, attempts=2)


def refreshed(root: Path, clients: dict[str, Callable[..., Any]]) -> RefreshResult:
    """All adapters, with fake keys in the environment."""
    surroundings = Surroundings(
        find_gpu=shipped_finder(),
        environment=FAKE_KEYS,
        home=root / "home",
        clock=lambda: NOW,
        limits=QUICK,
        clients=clients,
    )
    return refresh_catalog(root=root / "catalog", surroundings=surroundings, accept=True)


def leaked(root: Path, *texts: str) -> list[str]:
    """The fake keys that stand in the files of a folder or in texts."""
    files = [path.read_bytes().decode("latin-1") for path in root.rglob("*") if path.is_file()]
    everything = "\n".join([*files, *texts])
    return [value for value in FAKE_KEYS.values() if value in everything]


def all_published(root: Path) -> RefreshResult:
    """A refresh of every adapter from its recording."""
    clients: dict[str, Callable[..., Any]] = {}
    with responses.RequestsMock(assert_all_requests_are_fired=False) as web:
        for name in provider_names():
            clients |= play(name, web)
        return refreshed(root, clients)


def test_what_adapters_publish_passes_the_check(tmp_path: Path) -> None:
    """Over the shipped catalog: regions, GPUs, memory, shares and hardware are in order; so are all prices but one.

    Hyperstack's shipped spot price (16.00 for eight H100) is above the hourly price made for its recording (15.20).
    """
    all_published(tmp_path)
    root = tmp_path / "catalog"
    findings = check_catalog(load_catalog(user_directory=current_directory(root)), NOW.date())
    errors = [(finding.code, finding.row) for finding in findings if finding.level is Level.ERROR]
    assert errors == [("term-order", "hyperstack/CANADA-1/n3-H100x8 spot")]
    # 375 GiB each, which the shipped source takes for GB.
    warnings = [(finding.row, finding.found.partition(" ")[0]) for finding in findings if finding.level is Level.WARN]
    assert warnings == [(f"gcp/*/{name}", "local_nvme_gb") for name in ("a3-highgpu-8g", "a3-megagpu-8g")]


class TestKeysOfEveryAdapter:
    def test_what_is_published_and_logged(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
    ) -> None:
        with caplog.at_level(logging.DEBUG):
            result = all_published(tmp_path)
        assert {outcome.provider: outcome.status for outcome in result.providers} == dict.fromkeys(
            provider_names(), "published"
        )
        assert leaked(tmp_path, caplog.text, repr(result), *capfd.readouterr()) == []

    def test_what_is_said_of_errors_that_quote_them(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        """Clients and servers that repeat every key in what they say."""
        keys = " ".join(FAKE_KEYS.values())

        def leaky(*arguments: Any) -> Any:
            raise RuntimeError(f"refused for {keys}")

        with caplog.at_level(logging.DEBUG), responses.RequestsMock(assert_all_requests_are_fired=False) as web:
            for method in ("GET", "POST"):
                web.add(method, re.compile(".*"), body=keys, status=404)
            result = refreshed(tmp_path, dict.fromkeys(CLIENTS, leaky))
        assert result.all_failed
        assert len(result.providers) == len(provider_names())
        hidden = [value for value in leaked(tmp_path, caplog.text, repr(result)) if "project" not in value]
        assert hidden == []


BAD: dict[str, Behaviour] = {
    "500": lambda h, n: reply(h, 500),
    "429 for an hour": lambda h, n: reply(h, 429, b"", Retry_After="3600"),
    "cut JSON": lambda h, n: reply(h, body=GOOD[:200]),
    "cut connection": lambda h, n: reply(h, body=GOOD[:100], length=len(GOOD)),
    "HTML": lambda h, n: reply(h, body=b"<html>down for maintenance</html>"),
    "empty list": lambda h, n: reply(h, body=b'{"data": {}}'),
    "changed field": lambda h, n: reply(h, body=GOOD.replace(b'"price_cents_per_hour"', b'"price"')),
    "all prices 0": lambda h, n: reply(h, body=_priced(b"0")),
    "all prices NaN": lambda h, n: reply(h, body=_priced(b"NaN")),
    "slow drip": lambda h, n: _drip(h),
}


def _priced(price: bytes) -> bytes:
    return re.sub(rb'("price_cents_per_hour": )\d+', rb"\g<1>" + price, GOOD)


def _drip(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(60):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


@pytest.fixture
def lambda_cloud(
    serve: Callable[[Behaviour], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Behaviour], None]:
    """Points Lambda's adapter at a local server; `catalog refresh` writes below the test's folder."""
    monkeypatch.setenv("LAMBDA_API_KEY", FAKE_KEYS["LAMBDA_API_KEY"])
    monkeypatch.setenv("OPTIMIZE_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("providers._kit.http._FIRST_BACKOFF_SECONDS", 0.01)
    return lambda behaviour: monkeypatch.setattr("providers.lambda_._URL", serve(behaviour))


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "LOCK"}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_answer_leaves_the_catalog_as_it_was(
    name: str,
    lambda_cloud: Callable[[Behaviour], None],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ask = ["catalog", "refresh", "--provider", "lambda", "--timeout", "1"]
    lambda_cloud(lambda h, n: reply(h))
    assert run(ask) == 0
    before = _files(tmp_path / "catalog")
    capsys.readouterr()
    lambda_cloud(BAD[name])
    assert run(ask) == 4
    shown = capsys.readouterr()
    assert shown.err.startswith("lambda: FAILED, 0 offers")
    assert "(" in shown.err, "the reason is named"
    assert "Traceback" not in shown.err + shown.out
    assert "Nothing was changed" in shown.out
    assert _files(tmp_path / "catalog") == before

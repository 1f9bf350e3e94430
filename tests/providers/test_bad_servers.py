"""A local server that plays a provider badly: each fault ends in a named error or rejection, never in false data."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import requests

from optimizer.domain.offer import Offer
from optimizer.errors import MissingCredentials, ProviderError, RateLimited, SourceChanged, SourceUnreachable
from providers._kit.contract import Limits
from providers._kit.http import Http, address
from providers._kit.paging import Page, all_pages
from tests.providers.conftest import MakeContext, fetched, recorded

GOOD = json.dumps(recorded("lambda/instance_types.json")).encode()
QUICK = Limits(connect_seconds=1, read_seconds=1, total_seconds=2, attempts=3)

Behaviour = Callable[[BaseHTTPRequestHandler, int], None]


def reply(
    handler: BaseHTTPRequestHandler, status: int = 200, body: bytes = GOOD, length: int | None = None, **headers: str
) -> None:
    """Send one answer."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body) if length is None else length))
    handler.end_headers()
    handler.wfile.write(body)


@pytest.fixture
def serve() -> Iterator[Callable[[Behaviour], str]]:
    """Starts a server that answers each request by a function of (handler, number of the request)."""
    servers: list[ThreadingHTTPServer] = []

    def start(behaviour: Behaviour) -> str:
        class Handler(BaseHTTPRequestHandler):
            count = 0

            def do_GET(self) -> None:
                type(self).count += 1
                try:
                    behaviour(self, type(self).count)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def log_message(self, *arguments: Any) -> None:
                """Quiet."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        server.block_on_close = False
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_address[1]}/instance-types"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def lambda_at(
    serve: Callable[[Behaviour], str], make_context: MakeContext, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[list[Offer], list[Any]]]:
    """Fetches Lambda's list from a server that behaves in a given way."""

    def run(behaviour: Behaviour, limits: Limits = QUICK, waits: list[float] | None = None) -> tuple[list[Offer], Any]:
        monkeypatch.setattr("providers.lambda_._URL", serve(behaviour))
        with requests.Session() as session:
            sleep = waits.append if waits is not None else (lambda seconds: None)
            return fetched("lambda", make_context(http=Http(session, limits, sleep=sleep)))

    return run


Run = Callable[..., tuple[list[Offer], list[Any]]]


class TestServersThatRecover:
    def test_429_with_retry_after_waits_as_long_as_asked(self, lambda_at: Run) -> None:
        waits: list[float] = []

        def once_busy(handler: BaseHTTPRequestHandler, number: int) -> None:
            reply(handler, 429, b"", Retry_After="1") if number == 1 else reply(handler)

        offers, _ = lambda_at(once_busy, waits=waits)
        assert len(offers) == 2
        assert len(waits) == 1
        assert waits[0] >= 1

    def test_500_then_good(self, lambda_at: Run) -> None:
        offers, _ = lambda_at(lambda handler, number: reply(handler, 500 if number < 3 else 200))
        assert len(offers) == 2

    def test_an_answer_cut_off_is_asked_for_again(self, lambda_at: Run) -> None:
        def cut_once(handler: BaseHTTPRequestHandler, number: int) -> None:
            reply(handler, body=GOOD[:100] if number == 1 else GOOD, length=len(GOOD))
            handler.close_connection = True

        offers, _ = lambda_at(cut_once)
        assert len(offers) == 2


class TestServersThatDoNot:
    @pytest.mark.parametrize(
        ("behaviour", "error", "words"),
        [
            (lambda h, n: reply(h, 500), SourceUnreachable, r"HTTP 500 \(3 attempts\)"),
            (lambda h, n: reply(h, 401, b"{}"), MissingCredentials, "HTTP 401, the key was refused"),
            (lambda h, n: reply(h, 404, b"gone"), SourceChanged, "HTTP 404, expected 200"),
            (lambda h, n: reply(h, 429, b"", Retry_After="3600"), RateLimited, "asked to wait 3600 s"),
            (lambda h, n: reply(h, body=GOOD[:200]), SourceChanged, r"no complete JSON \(200 bytes\)"),
            (lambda h, n: reply(h, body=b"<!DOCTYPE html><html></html>"), SourceChanged, "found HTML"),
            (lambda h, n: reply(h, body=b""), SourceChanged, "found an empty answer"),
            (lambda h, n: reply(h, body=b'{"data": {}}'), SourceChanged, "the list is empty"),
            (lambda h, n: reply(h, body=b'{"error": {"code": "x"}}'), SourceChanged, "field data is missing"),
            (lambda h, n: reply(h, body=b"[1, 2]"), SourceChanged, "lambda: instance types"),
            (lambda h, n: reply(h, body=b'{"data": {"gpu_1x": 7}}'), SourceChanged, "field data.gpu_1x"),
        ],
        ids=["500", "401", "404", "429", "cut", "html", "empty", "no-rows", "error", "list", "no-row"],
    )
    def test_the_reason_is_named(
        self, lambda_at: Run, behaviour: Behaviour, error: type[ProviderError], words: str
    ) -> None:
        with pytest.raises(error, match=words):
            lambda_at(behaviour)

    def test_a_slow_drip_ends_at_the_limit(self, lambda_at: Run) -> None:
        def drip(handler: BaseHTTPRequestHandler, number: int) -> None:
            handler.send_response(200)
            handler.end_headers()
            for _ in range(200):
                handler.wfile.write(b" ")
                handler.wfile.flush()
                time.sleep(0.05)

        limits = Limits(connect_seconds=1, read_seconds=1, total_seconds=0.4, attempts=2)
        begun = time.monotonic()
        with pytest.raises(SourceUnreachable, match="no full answer within 0 s"):
            lambda_at(drip, limits)
        assert time.monotonic() - begun < 2

    def test_silence_is_a_time_out(self, lambda_at: Run) -> None:
        limits = Limits(connect_seconds=0.2, read_seconds=0.2, total_seconds=5, attempts=2)
        with pytest.raises(SourceUnreachable, match=r"time-out \(2 attempts\)"):
            lambda_at(lambda handler, number: time.sleep(1), limits)

    def test_nobody_listening(self, make_context: MakeContext, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("providers.lambda_._URL", "http://127.0.0.1:9/instance-types")
        with requests.Session() as session, pytest.raises(SourceUnreachable, match="no connection"):
            fetched("lambda", make_context(http=Http(session, QUICK, sleep=lambda seconds: None)))

    def test_an_endless_answer_ends_at_the_size_limit(self, lambda_at: Run) -> None:
        def flood(handler: BaseHTTPRequestHandler, number: int) -> None:
            handler.send_response(200)
            handler.end_headers()
            while True:
                handler.wfile.write(b" " * 65536)

        with pytest.raises(SourceChanged, match="answer larger than 1000000 bytes"):
            lambda_at(flood, Limits(answer_bytes=1_000_000))


class TestBadRows:
    @pytest.mark.parametrize("price", ["NaN", "0", '""', "-1", '"free"', "Infinity", "1e400"])
    def test_a_bad_price_is_a_rejection(self, lambda_at: Run, price: str) -> None:
        body = GOOD.replace(b'"price_cents_per_hour": 3192', b'"price_cents_per_hour": ' + price.encode())
        assert body != GOOD
        offers, rejected = lambda_at(lambda handler, number: reply(handler, body=body))
        assert [offer.instance_type for offer in offers] == ["gpu_4x_a6000"]
        assert [row.row for row in rejected] == ["gpu_8x_h100_sxm5 global"]
        assert "price: found" in rejected[0].reason

    def test_a_changed_field_in_one_row_rejects_the_row(self, lambda_at: Run) -> None:
        body = GOOD.replace(b'"price_cents_per_hour": 3192', b'"price_cents": 3192')
        offers, rejected = lambda_at(lambda handler, number: reply(handler, body=body))
        assert len(offers) == 1
        assert [row.reason for row in rejected] == ["field instance_type.price_cents_per_hour is missing"]

    def test_a_changed_field_in_all_rows_fails_the_source(self, lambda_at: Run) -> None:
        body = GOOD.replace(b'"price_cents_per_hour"', b'"price_cents"')
        with pytest.raises(
            SourceChanged, match=r"none of 3 rows could be read; first: field instance_type\.price_cents"
        ):
            lambda_at(lambda handler, number: reply(handler, body=body))

    def test_memory_that_is_not_the_models_is_kept_for_review(self, lambda_at: Run) -> None:
        body = GOOD.replace(b"H100 (80 GB SXM5)", b"H100 (40 GB SXM5)")
        offers, rejected = lambda_at(lambda handler, number: reply(handler, body=body))
        assert [offer.instance_type for offer in offers] == ["gpu_4x_a6000"]
        assert rejected[0].quarantined

    def test_a_currency_that_is_not_the_providers(self, replay: Callable[..., Any], web: Any) -> None:
        types = recorded("verda/instance_types.json")
        types[0]["currency"] = "eur"
        base = "https://api.verda.com/v1"
        web.post(f"{base}/oauth2/token", json=recorded("verda/token.json"))
        web.get(f"{base}/instance-types", json=types)
        for name in ("availability", "availability_spot"):
            web.get(f"{base}/instance-availability", json=recorded(f"verda/{name}.json"))
        web.get(f"{base}/long-term/periods/instances", json=recorded("verda/periods.json"))
        seen = replay("verda", clients={"none": lambda: None})
        assert "currency: found 'EUR', expected USD" in seen.reasons("1H100.80S.30V")
        assert set(seen.offers) == {"global/2A6000.20V"}


class TestPaging:
    @staticmethod
    def _read(pages: dict[str | None, Page], most: int = 50) -> list[Any]:
        return list(all_pages(lambda token: pages[token], Limits(pages=most), "test"))

    def test_pages_in_order(self) -> None:
        assert self._read({None: ([1, 2], "b"), "b": ([3], "")}) == [1, 2, 3]

    def test_an_empty_page_in_between_is_no_end(self) -> None:
        assert self._read({None: ([1], "b"), "b": ([], "c"), "c": ([2], None)}) == [1, 2]

    def test_a_repeated_page(self) -> None:
        with pytest.raises(SourceChanged, match="the same page of 2 rows came twice"):
            self._read({None: ([1, 2], "b"), "b": ([1, 2], "c")})

    def test_a_token_that_repeats(self) -> None:
        with pytest.raises(SourceChanged, match="page token repeats"):
            self._read({None: ([1], "b"), "b": ([2], "c"), "c": ([3], "b")})

    def test_pages_without_end(self) -> None:
        with pytest.raises(SourceChanged, match="more than 7 pages"):
            list(all_pages(lambda token: ([token], f"{token}+"), Limits(pages=7), "test"))


def test_addresses_are_printed_without_keys() -> None:
    assert address("https://user:secret@host.example/v1/skus?key=secret#x") == "https://host.example/v1/skus"

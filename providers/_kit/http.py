"""The network, once for all adapters: time-outs, retries with back-off and jitter, rate limits, shape of JSON."""

import codecs
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from decimal import Decimal
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import requests
import tenacity
from urllib3.exceptions import HTTPError, ReadTimeoutError

from optimizer.errors import MissingCredentials, RateLimited, SourceChanged, SourceUnreachable
from providers._kit.contract import Limits

_RETRIED_STATUS = frozenset({408, 429, 500, 502, 503, 504})
_REFUSED_STATUS = frozenset({401, 403})
_CHUNK_BYTES = 64 * 1024
_LONGEST_BACKOFF_SECONDS = 30.0
_FIRST_BACKOFF_SECONDS = 0.5


class _Retry(Exception):
    """Worth another try; `after_seconds` is what the server asked for."""

    def __init__(self, reason: str, after_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.after_seconds = after_seconds


class Http:
    """A session with limits. One instance serves one provider in one refresh.

    Every method raises `SourceUnreachable`, `RateLimited`, `SourceChanged` or `MissingCredentials` and nothing else.
    Messages name the address without its query, where keys may stand.
    """

    def __init__(
        self,
        session: requests.Session,
        limits: Limits,
        *,
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._session = session
        self._limits = limits
        self._sleep = sleep
        self._monotonic = monotonic
        self._deadline = monotonic() + limits.total_seconds

    def get_json(
        self, url: str, *, params: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None
    ) -> Any:
        """The JSON of a GET, numbers with a point as `Decimal`."""
        return self._json("GET", url, params=params, headers=headers)

    def post_json(
        self,
        url: str,
        body: Any = None,
        *,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """The JSON answer of a POST of JSON (`body`) or of a form."""
        return self._json("POST", url, json=body, data=form, headers=headers)

    def get_lines(self, url: str) -> Iterator[str]:
        """The lines of a GET as they arrive, for files too large to hold; once begun it is not retried."""
        with closing(self._begun("GET", url)) as answer:
            decode = codecs.getincrementaldecoder("utf-8")("replace").decode
            rest = ""
            for chunk in self._chunks(answer, url, is_large=True):
                *lines, rest = (rest + decode(chunk)).split("\n")
                yield from lines
            if rest:
                yield rest

    def _begun(self, method: str, url: str) -> requests.Response:
        """An answer whose head has come, retried like any other."""
        opened: list[requests.Response] = []

        def once() -> bytes:
            opened.append(self._open(method, url))
            return b""

        self._retrying(once, url)
        return opened[-1]

    def _json(self, method: str, url: str, **arguments: Any) -> Any:
        content = self._fetch(method, url, **arguments)
        try:
            return json.loads(content, parse_float=Decimal, parse_constant=Decimal)
        except ValueError as error:
            raise SourceChanged(f"{address(url)}: {_not_json(content)}") from error

    def _fetch(self, method: str, url: str, **arguments: Any) -> bytes:
        def once() -> bytes:
            with closing(self._open(method, url, **arguments)) as answer:
                return b"".join(self._chunks(answer, url))

        return self._retrying(once, url)

    def _retrying(self, attempt: Callable[[], bytes], url: str) -> bytes:
        retryer = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(_Retry),
            stop=tenacity.stop_after_attempt(self._limits.attempts),
            wait=self._wait,
            sleep=self._sleep_within_limit,
            reraise=True,
        )
        try:
            result: bytes = retryer(attempt)
        except _Retry as error:
            raise SourceUnreachable(f"{address(url)}: {error} ({self._limits.attempts} attempts)") from error
        return result

    def _wait(self, state: tenacity.RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.after_seconds if isinstance(error, _Retry) else None
        backoff = tenacity.wait_random_exponential(multiplier=_FIRST_BACKOFF_SECONDS, max=_LONGEST_BACKOFF_SECONDS)(
            state
        )
        return backoff if asked is None else max(asked, backoff)

    def _sleep_within_limit(self, seconds: float) -> None:
        if self._monotonic() + seconds > self._deadline:
            raise RateLimited(
                f"asked to wait {seconds:.0f} s, more than is left of the {self._limits.total_seconds:.0f} s limit"
            )
        self._sleep(seconds)

    def _open(self, method: str, url: str, **arguments: Any) -> requests.Response:
        self._check_deadline(url)
        timeout = (self._limits.connect_seconds, self._limits.read_seconds)
        try:
            answer = self._session.request(method, url, timeout=timeout, stream=True, **arguments)
        except requests.RequestException as error:
            raise _Retry(_kind(error)) from error
        try:
            _check_status(answer, url)
        except BaseException:
            answer.close()
            raise
        return answer

    def _chunks(self, answer: requests.Response, url: str, *, is_large: bool = False) -> Iterator[bytes]:
        """What arrives, as it arrives: reading whole chunks would wait for a slow drip to fill them."""
        received_bytes = 0
        while True:
            self._check_deadline(url)
            try:
                chunk: bytes = answer.raw.read1(_CHUNK_BYTES, decode_content=True)
            except ReadTimeoutError as error:
                raise _Retry("time-out") from error
            except HTTPError as error:
                raise _Retry("answer cut off") from error
            if not chunk:
                return
            received_bytes += len(chunk)
            if received_bytes > self._limits.answer_bytes and not is_large:
                raise SourceChanged(f"{address(url)}: answer larger than {self._limits.answer_bytes} bytes")
            yield chunk

    def _check_deadline(self, url: str) -> None:
        if self._monotonic() > self._deadline:
            raise SourceUnreachable(f"{address(url)}: no full answer within {self._limits.total_seconds:.0f} s")


def address(url: str) -> str:
    """Scheme, host and path: an address that is safe to print."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _check_status(answer: requests.Response, url: str) -> None:
    status = answer.status_code
    if status in _RETRIED_STATUS:
        raise _Retry(f"HTTP {status}", _retry_after_seconds(answer.headers.get("Retry-After")))
    if status in _REFUSED_STATUS:
        raise MissingCredentials(f"{address(url)}: HTTP {status}, the key was refused or lacks the right")
    if not answer.ok:
        raise SourceChanged(f"{address(url)}: HTTP {status}, expected 200")


def _retry_after_seconds(value: str | None) -> float | None:
    if value is None:
        return None
    if value.strip().isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def _kind(error: requests.RequestException) -> str:
    if isinstance(error, requests.Timeout):
        return "time-out"
    if isinstance(error, requests.ConnectionError):
        return "no connection"
    return type(error).__name__


def _not_json(content: bytes) -> str:
    start = content[:200].lstrip().lower()
    if not start:
        return "found an empty answer, expected JSON"
    kind = "HTML" if start.startswith((b"<!doctype", b"<html")) else "text that is no complete JSON"
    return f"found {kind} ({len(content)} bytes), expected JSON"

"""Calls through a cloud's SDK: the SDK signs and sends, the adapter reads the plain JSON that came back."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import tenacity

from optimizer.domain.offer import Rejected
from optimizer.errors import MissingCredentials, RateLimited, SourceUnreachable
from providers._kit.contract import FetchContext

#: (service, region, action, parameters) to the answer as JSON.
Caller = Callable[[str, str, str, Mapping[str, Any]], dict[str, Any]]
Row = TypeVar("Row")

_THROTTLED = ("throttl", "requestlimitexceeded", "flowlimit", "toomanyrequests", "limitexceeded", "429")
_REFUSED = (
    "accesskey",
    "authfailure",
    "forbidden",
    "invalidcredential",
    "nopermission",
    "signature",
    "unauthorized",
    "credential",
)
_FIRST_WAIT_SECONDS = 0.5
_LONGEST_WAIT_SECONDS = 20.0


class ApiError(SourceUnreachable):
    """The API answered with an error; `api_code` is its code, the message holds nothing else of it."""

    def __init__(self, provider: str, action: str, api_code: str) -> None:
        super().__init__(f"{provider}: {action}: {api_code or 'error without a code'}")
        self.api_code = api_code


class Api:
    """One cloud's API in one refresh, with retries of throttled calls."""

    def __init__(self, context: FetchContext, provider: str, default: Callable[[FetchContext], Caller]) -> None:
        self._context = context
        self._provider = provider
        self._caller: Caller = context.clients.get(provider, default)(context)

    def call(self, service: str, region: str, action: str, **parameters: Any) -> dict[str, Any]:
        """One call.

        Raises:
            ApiError: the API said no (also when a region or type is not sold: see `api_code`).
            MissingCredentials: it refused the key.
            RateLimited: it kept throttling.
        """
        retryer = tenacity.Retrying(
            retry=tenacity.retry_if_exception(_is_throttled),
            stop=tenacity.stop_after_attempt(self._context.limits.attempts),
            wait=tenacity.wait_random_exponential(multiplier=_FIRST_WAIT_SECONDS, max=_LONGEST_WAIT_SECONDS),
            sleep=self._context.sleep,
            reraise=True,
        )
        try:
            answer: dict[str, Any] = retryer(self._caller, service, region, action, parameters)
        except ApiError as error:
            raise self._explained(error, action) from error
        return answer

    def _explained(self, error: ApiError, action: str) -> Exception:
        code = error.api_code.lower().replace("_", "").replace(".", "")
        if _is_throttled(error):
            return RateLimited(f"{self._provider}: {action}: throttled {self._context.limits.attempts} times")
        if any(word in code for word in _REFUSED):
            return MissingCredentials(f"{self._provider}: {action}: the key was refused ({error.api_code})")
        return error


def _is_throttled(error: BaseException) -> bool:
    return isinstance(error, ApiError) and any(word in error.api_code.lower() for word in _THROTTLED)


def read_regions(
    provider: str, regions: Iterable[str], read: Callable[[str], Iterable[Row]]
) -> tuple[list[Row], list[Rejected]]:
    """Rows of every region that answers; the others as rejections.

    Raises:
        ApiError: no region answered (the last error), or a key was refused (at once, by `read`).
    """
    rows: list[Row] = []
    failed: list[Rejected] = []
    last: ApiError | None = None
    answered = False
    for region in regions:
        try:
            rows.extend(read(region))
            answered = True
        except ApiError as error:
            failed.append(Rejected(provider=provider, row=region, reason=f"region left out: {error.api_code}"))
            last = error
    if last is not None and not answered:
        raise last
    return rows, failed

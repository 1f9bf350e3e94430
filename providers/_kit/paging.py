"""Following pages to their end, and noticing when there is none."""

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any

from optimizer.errors import SourceChanged
from providers._kit.contract import Limits

Page = tuple[list[Any], str | None]


def all_pages(fetch_page: Callable[[str | None], Page], limits: Limits, what: str) -> Iterator[Any]:
    """Every item of every page.

    Args:
        fetch_page: from a page token (`None` first) to its items and the next token (`None` or "" at the end).
        limits: `pages` bounds how many are asked for.
        what: named in errors.

    Raises:
        SourceChanged: a token or a whole page comes twice, or the pages do not end.
    """
    token: str | None = None
    seen_tokens: set[str] = set()
    seen_pages: set[str] = set()
    for _ in range(limits.pages):
        items, following = fetch_page(token)
        fingerprint = hashlib.sha256(json.dumps(items, sort_keys=True, default=str).encode()).hexdigest()
        if items and fingerprint in seen_pages:
            raise SourceChanged(f"{what}: the same page of {len(items)} rows came twice")
        seen_pages.add(fingerprint)
        yield from items
        if not following:
            return
        if following in seen_tokens:
            raise SourceChanged(f"{what}: the page token repeats, pages do not end")
        seen_tokens.add(following)
        token = following
    raise SourceChanged(f"{what}: more than {limits.pages} pages")

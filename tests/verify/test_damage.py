"""Every field of a plan altered one at a time is caught, but for those that tests/verify/free_fields.py lists."""

from collections.abc import Callable

import pytest

from optimizer.domain.plan import Plan
from tests.verify.damage import altered, is_caught, leaves, replaced, rows, without
from tests.verify.free_fields import is_free
from tests.verify.plans import ALL_PLANS, STORES


def dotted(path: tuple[str | int, ...]) -> str:
    return ".".join(str(step) for step in path)


@pytest.mark.parametrize("make", ALL_PLANS, ids=lambda make: make.__name__)
def test_every_altered_field_is_caught(make: Callable[[], Plan]) -> None:
    data = make().model_dump(mode="json", by_alias=True)
    missed = [
        f"{dotted(path)}: {value!r} -> {other!r}"
        for path, value in leaves(data)
        if not is_free(dotted(path))
        for other in altered(value)
        if not is_caught(replaced(data, path, other), STORES)
    ]
    assert missed == []


@pytest.mark.parametrize("make", ALL_PLANS, ids=lambda make: make.__name__)
def test_every_missing_row_is_caught(make: Callable[[], Plan]) -> None:
    data = make().model_dump(mode="json", by_alias=True)
    missed = [
        dotted(path) for path in rows(data) if not is_free(dotted(path)) and not is_caught(without(data, path), STORES)
    ]
    assert missed == []

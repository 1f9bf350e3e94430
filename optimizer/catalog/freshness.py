"""How old a price is: recent, old, or undated. Few public prices are young, so age marks by default."""

from datetime import date
from enum import StrEnum

#: A price older than this is marked as old (the default of `--max-age`).
MAX_AGE_DAYS = 60


class Freshness(StrEnum):
    """What can be said of a price's age."""

    RECENT = "recent"
    OLD = "old"
    UNDATED = "undated"


def age_days(observed: date | None, on: date) -> int | None:
    """Days from the observation to a day; `None` when the price is undated."""
    return None if observed is None else (on - observed).days


def freshness(observed: date | None, on: date, max_age_days: int = MAX_AGE_DAYS) -> Freshness:
    """A price of exactly `max_age_days` is still recent; an undated one is never taken for recent."""
    age = age_days(observed, on)
    if age is None:
        return Freshness.UNDATED
    return Freshness.OLD if age > max_age_days else Freshness.RECENT

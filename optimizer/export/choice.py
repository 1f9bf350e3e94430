"""What of a plan can be launched: one entry for each workload on each configuration and mode."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from optimizer.domain.offer import Offer, Price, Term
from optimizer.domain.plan import Assignment, Plan
from optimizer.errors import InputError, Problem

#: Longest name that both tools take (dstack 0.22.5: ^[a-z][a-z0-9-]{1,40}$).
LONGEST_NAME = 40


@dataclass(frozen=True, slots=True)
class Launch:
    """Machines to start: `nodes` whole machines of an offer; `terms` are how the plan pays for them.

    `starts` are the first days of every run (repetitions, stretches of steady work) on the same machines.
    """

    workload: str
    offer: Offer
    nodes: int
    spot: bool
    terms: tuple[Term, ...]
    starts: tuple[date, ...]
    ends: tuple[date, ...]
    price: Price | None

    @property
    def is_owned(self) -> bool:
        """Whether it runs on the user's own machines."""
        return self.offer.provider == "owned"


def launches(plan: Plan) -> tuple[Launch, ...]:
    """Everything that a plan starts, in its order; runs that differ only in their days are one."""
    offers = {offer.key: offer for offer in plan.offers}
    groups: dict[tuple[object, ...], list[Assignment]] = {}
    for a in plan.assignments:
        terms = tuple(dict.fromkeys(part.term for part in a.served_by if part.nodes))
        key = (a.workload, f"{a.provider}/{a.region}/{a.instance_type}", a.nodes, a.spot, terms)
        groups.setdefault(key, []).append(a)
    return tuple(_launch(offers[str(key[1])], runs) for key, runs in groups.items())


def _launch(offer: Offer, runs: list[Assignment]) -> Launch:
    first = runs[0]
    terms = tuple(dict.fromkeys(part.term for run in runs for part in run.served_by if part.nodes))
    hourly = next((term for term in terms if term.is_hourly), None)
    return Launch(
        workload=first.workload,
        offer=offer,
        nodes=first.nodes,
        spot=first.spot,
        terms=terms,
        starts=tuple(run.from_ for run in runs),
        ends=tuple(run.to for run in runs),
        price=offer.price(hourly) if hourly is not None else None,
    )


def chosen(plan: Plan, file: str, workload: str | None) -> Launch:
    """The one launch that a single-document format can hold.

    Raises:
        InputError: nothing is planned, no such workload, or several launches and none named.
    """
    everything = launches(plan)
    mine = [item for item in everything if workload in (None, item.workload)]
    names = [item.workload for item in everything]
    if not everything:
        raise InputError(Problem(file, "assignments", "none", "a plan that runs something"))
    if not mine:
        raise InputError(Problem("--workload", "", repr(workload), f"one of {', '.join(dict.fromkeys(names))}"))
    if len(mine) > 1:
        found = "; ".join(f"{item.workload}: {item.nodes} x {item.offer.key}" for item in mine)
        hint = "Choose with --workload; a workload that changes machines needs one file for each of them."
        raise InputError(Problem(file, "assignments", found, "one launch", suggestion=hint))
    return mine[0]


def safe_name(text: str, fallback: str) -> str:
    """A name of at least two lower-case ASCII letters, digits and single dashes that starts with a letter."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    if len(name) < 2 or not name[0].isalpha():
        name = f"{fallback}-{name}" if name else fallback
    return name[:LONGEST_NAME].rstrip("-")


def one_line(text: str) -> str:
    """Text as it may stand in a comment: no line breaks or control characters."""
    return "".join(char if char.isprintable() else " " for char in text)


def days_text(starts: Iterable[date], ends: Iterable[date]) -> str:
    """The runs' days: 2026-12-01..2026-12-14 (the last day included is the day before the end)."""
    return ", ".join(f"{start} to {end}" for start, end in zip(starts, ends, strict=True))

"""What a question names: an offer key or pattern, a term, a provider, an instance type or a GPU."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Literal

from optimizer.catalog import Catalog
from optimizer.catalog.gpu_spec import GpuSpec, parse_gpu_specs
from optimizer.domain.offer import Machine, Offer, Term
from optimizer.errors import InputError, Problem
from optimizer.planning.supply import Supply

TargetKind = Literal["offer", "term", "provider", "instance_type", "gpu", "machine"]
MOST_SUGGESTIONS = 4
#: Ways in which people name terms, beside the names of the plan file.
SPOKEN_TERMS = {
    "hour": Term.ON_DEMAND,
    "hourly": Term.ON_DEMAND,
    "按量": Term.ON_DEMAND,
    "抢占式": Term.SPOT,
    "包日": Term.DAY,
    "包周": Term.WEEK,
    "包月": Term.MONTH,
    "包年": Term.YEAR,
    "自有": Term.OWNED,
}


@dataclass(frozen=True, slots=True)
class Target:
    """One thing asked about. `term` is set for kind "term", `specs` for kind "gpu".

    Kind "machine" is a machine of the user's own or a commitment, by the name that the file gives it; `keys` are its
    pools.

    `also`: what else the same text means; `GH200*` is part of an instance type here and a GPU there, and both are asked
    about.
    """

    text: str
    kind: TargetKind
    term: Term | None = None
    specs: tuple[GpuSpec, ...] = ()
    keys: tuple[str, ...] = ()
    also: tuple["Target", ...] = ()

    def names(self, key: str, provider: str, machine: Machine) -> bool:
        """Whether a machine at a place is meant (a term names no place)."""
        return self._names(key, provider, machine) or any(other.names(key, provider, machine) for other in self.also)

    def _names(self, key: str, provider: str, machine: Machine) -> bool:
        if self.kind == "machine":
            return key in self.keys
        if self.kind == "offer":
            return _glob(key, self.text)
        if self.kind == "provider":
            return _glob(provider, self.text)
        if self.kind == "instance_type":
            return _glob(machine.instance_type, self.text)
        return any(spec.accepts(machine) for spec in self.specs)

    def means(self, supply: Supply) -> bool:
        """Whether a supply is meant; for a term, whether it is sold so."""
        if self.kind == "term":
            return sells(supply, self.term)
        return self.names(supply.key, supply.provider, supply.machine)


def sells(supply: Supply, term: Term | None) -> bool:
    """Whether a supply can be had on a term."""
    if term is Term.ON_DEMAND:
        return supply.hourly is not None
    if term is Term.SPOT:
        return supply.spot is not None
    if term is Term.OWNED:
        return bool(supply.purchases)
    if any(rate.price.term is term for rate in supply.covered_at):
        return supply.hourly is not None
    return any(rent.term is term for rent in supply.rents)


def target_of(
    text: str, catalog: Catalog, standing: Iterable[Supply] = (), offers: Iterable[Offer] | None = None
) -> Target:
    """What a text means: a term, else an own machine's name, a key, or all providers, types and GPUs of that name.

    `standing`: the user's own machines and what is committed to already. `offers`: the catalog's, and what the user's
    quotes add to them.

    Raises:
        InputError: nothing in the catalog (and nothing quoted or owned) is called so; the nearest names are suggested.
    """
    term = term_named(text)
    if term is not None:
        return Target(text, "term", term)
    standing = tuple(standing)
    named = tuple(s.key for s in standing if any(_glob(sunk.name, text) for sunk in s.sunk))
    if named:
        return Target(text, "machine", keys=named)
    places = _places(catalog.offers() if offers is None else offers, standing)
    meant = [target for target in _readings(text) if any(target.names(*place) for place in places)]
    if meant:
        return replace(meant[0], also=tuple(meant[1:]))
    raise InputError(Problem("OFFER", "", repr(text), _EXPECTED, suggestion=_near(text, places, standing, catalog)))


_EXPECTED = (
    "an offer key or pattern, a term (month, year), a provider, an instance type, a GPU (H100, A100:80GB) or the name "
    "of an own machine"
)


def term_named(text: str) -> Term | None:
    """The term that a text names."""
    spoken = SPOKEN_TERMS.get(text.strip().lower())
    if spoken is not None:
        return spoken
    try:
        return Term(text.strip().lower())
    except ValueError:
        return None


def _readings(text: str) -> Iterable[Target]:
    if "/" in text:
        yield Target(text, "offer")
        return
    yield Target(text, "provider")
    yield Target(text, "instance_type")
    try:
        yield Target(text, "gpu", specs=parse_gpu_specs(text))
    except InputError:
        return


Place = tuple[str, str, Machine]


def _places(offers: Iterable[Offer], owned: Iterable[Supply]) -> list[Place]:
    rented = [(offer.key, offer.provider, offer.machine) for offer in offers]
    return [*rented, *((supply.key, supply.provider, supply.machine) for supply in owned)]


def _near(text: str, places: list[Place], standing: Iterable[Supply], catalog: Catalog) -> str | None:
    """The nearest names of the kind that the text looks like."""
    if "/" in text:
        known = {key for key, _, _ in places}
    else:
        known = {provider for _, provider, _ in places} | {machine.instance_type for _, _, machine in places}
        known |= {term.value for term in Term} | {sunk.name for supply in standing for sunk in supply.sunk}
    folded = {name.lower(): name for name in known}
    near = [folded[name] for name in get_close_matches(text.lower(), folded, n=MOST_SUGGESTIONS, cutoff=0.5)]
    if "/" not in text:
        near = list(dict.fromkeys([*catalog.near_gpus(text), *near]))[:MOST_SUGGESTIONS]
    return f"Did you mean {', '.join(near)}?" if near else "`optimize offers` lists what there is."


def _glob(name: str, pattern: str) -> bool:
    """Whether a name is meant: the name itself (brackets and all) or a pattern that fits it; case does not count."""
    return name.lower() == pattern.lower() or fnmatchcase(name.lower(), pattern.lower())

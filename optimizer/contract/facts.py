"""What the contract needs beside the plan: data sheets, kinds of sellers, known exceptions, spellings of GPUs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from optimizer.domain.gpu import Gpu
from optimizer.domain.offer import Term
from optimizer.domain.text import Text


@dataclass(frozen=True, slots=True)
class KnownException:
    """A term that a provider is known to hold to, for some types and rental terms; patterns are shell patterns.

    `providers` may hold `segment:NAME` for a whole kind of sellers. `item` is the contract line that carries it.
    """

    providers: str
    instance_types: str
    terms: str
    item: str
    text: Text
    source: str
    observed: str

    def applies(self, provider: str, segment: str | None, instance_type: str, terms: frozenset[Term]) -> bool:
        """Whether it holds for a purchase."""
        return (
            _matches(self.providers, provider, f"segment:{segment}")
            and _matches(self.instance_types, instance_type)
            and any(_matches(self.terms, term.value) for term in terms)
        )


@dataclass(frozen=True, slots=True)
class ContractFacts:
    """Facts by name; `find_gpu` turns any spelling of a GPU into its canonical id or None."""

    gpus: Mapping[str, Gpu]
    segments: Mapping[str, str]
    exceptions: tuple[KnownException, ...]
    find_gpu: Callable[[str], str | None]


def read_exception(row: Mapping[str, str]) -> KnownException:
    """One row of facts/contract_exceptions.csv."""
    text = Text(row["en"], row["zh"])
    return KnownException(
        row["provider"], row["instance_types"], row["terms"], row["item"], text, row["source"], row["observed"]
    )


def _matches(patterns: str, *names: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns.split(";") for name in names)

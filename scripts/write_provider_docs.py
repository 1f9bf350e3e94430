"""Write docs/providers.md from the adapters' own descriptions; `--check` says whether it is up to date."""

import sys
from collections.abc import Iterable
from pathlib import Path

from optimizer.domain.offer import Term
from providers._kit.contract import Provider
from providers._kit.discovery import load_provider, provider_names
from providers._kit.importing import importer_names, load_importer

TARGET = Path(__file__).parents[1] / "docs" / "providers.md"
_COLUMNS = (
    ("on demand", (Term.ON_DEMAND,)),
    ("spot", (Term.SPOT,)),
    ("day, week", (Term.DAY, Term.WEEK)),
    ("month", (Term.MONTH,)),
    ("3, 6 months", (Term.RESERVED_3M, Term.RESERVED_6M)),
    ("1 year", (Term.YEAR, Term.RESERVED_1Y)),
    ("2, 3, 5 years", (Term.RESERVED_2Y, Term.RESERVED_3Y, Term.RESERVED_5Y)),
    ("savings plan", (Term.SAVINGS_PLAN_1Y, Term.SAVINGS_PLAN_3Y)),
    ("block", (Term.CAPACITY_BLOCK,)),
)
_FACTS = ("stock", "interruptions of spot", "billed by")
SECONDS_PER_MINUTE = 60
_HEAD = """\
<!-- Written by scripts/write_provider_docs.py from the adapters; edit those. -->

# Providers

`optimize catalog refresh` asks these providers side by side and lays what they tell over the shipped catalog, in your
own data folder. One that fails, or has no key, leaves the others alone and keeps its earlier snapshot. An answer that
would lose more than a fifth of a provider's prices, or a whole GPU model, is held back until you give `--accept`.

Prices are for the whole machine. What an interface does not tell (links between GPUs, RDMA, PCIe) is filled from the
same machine in the catalog at hand and marked as derived, or stays unknown.

## What each interface prices

"yes" means that a test proves the term from a recorded answer. Machines by the hour and spot machines are billed by the
second or minute where the provider's documentation says so, otherwise by the whole hour; a plan rounds each day's hours
up to that unit and minimum (`docs/adr/0004-accounting.md`). Interruptions of spot are rates per machine-hour, derived
from the share of machines that was taken back within a month.

"""
_KEYS = """
## Keys, libraries, gaps

Keys are looked for where each provider's own tools look; they are never printed, logged or stored.

"""
_IMPORTS = """
## Files of other tools

`optimize catalog import FILE --format FORMAT` takes these in:

"""


def render() -> str:
    """The whole document."""
    providers = [load_provider(name) for name in provider_names()]
    parts = [_HEAD, *_table(["provider", *(title for title, _ in _COLUMNS), *_FACTS], map(_prices_row, providers))]
    parts += [_KEYS, *_table(["provider", "key", "install", "does not tell", "reference"], map(_keys_row, providers))]
    importers = [load_importer(name) for name in importer_names()]
    rows = [[f"`{importer.name}`", importer.title] for importer in importers]
    return "".join([*parts, _IMPORTS, *_table(["format", "file"], rows)])


def _prices_row(provider: Provider) -> list[str]:
    marks = ["yes" if provider.terms & set(terms) else "" for _, terms in _COLUMNS]
    facts = ("yes" if told else "" for told in (provider.tells_stock, provider.tells_interruptions))
    return [provider.title, *marks, *facts, _billed(provider)]


def _billed(provider: Provider) -> str:
    """How hours are billed, with a link to where the provider says so."""
    billing = provider.billing
    if billing is None:
        return "hour"
    unit = {1: "second", SECONDS_PER_MINUTE: "minute"}[billing.unit_seconds]
    least = f", at least {billing.minimum_seconds} s" if billing.minimum_seconds else ""
    return f"[{unit}{least}]({billing.source})"


def _keys_row(provider: Provider) -> list[str]:
    key = provider.credentials or "none"
    need = key if provider.needs_key else f"not needed; {key}" if provider.credentials else "not needed"
    install = f"`pip install 'gpu-cost-optimizer[{provider.extra}]'`" if provider.extra else "nothing"
    return [provider.title, need, install, provider.lacks, f"<{provider.documentation}>"]


def _table(titles: list[str], rows: Iterable[list[str]]) -> list[str]:
    lines = [titles, ["---"] * len(titles), *rows]
    return [f"| {' | '.join(cell.replace('|', '/') for cell in line)} |\n" for line in lines]


def main(arguments: list[str]) -> int:
    """Write the file, or compare it."""
    text = render()
    if "--check" in arguments:
        is_current = TARGET.is_file() and TARGET.read_text(encoding="utf-8") == text
        print("docs/providers.md is up to date" if is_current else "docs/providers.md is out of date: run me")
        return 0 if is_current else 1
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The contract specification of a plan file, and vendors' answers held against it, with the catalog's facts."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from optimizer.catalog import Catalog
    from optimizer.contract.facts import ContractFacts
    from optimizer.contract.spec import ContractSpec, Kind


def contract_of_file(
    path: Path,
    catalog_directory: Path | None = None,
    kinds: "Mapping[str, Kind] | None" = None,
    providers: tuple[str, ...] = (),
) -> "tuple[ContractSpec, ContractFacts]":
    """The specification of a plan file with the facts of the shipped catalog, or of a directory.

    Raises:
        InputError: the file is no plan, it buys no machines, or an option names what is not in it.
        CatalogError: the fact tables are missing or damaged.
    """
    from optimizer.app.verify import read_plan
    from optimizer.catalog import load_catalog
    from optimizer.contract.build import build_contract

    plan = read_plan(path)
    facts = contract_facts(load_catalog(catalog_directory))
    return build_contract(plan, facts, kinds=kinds, providers=providers, file=str(path)), facts


def contract_facts(catalog: "Catalog") -> "ContractFacts":
    """Data sheets, kinds of sellers, known exceptions and spellings of a catalog."""
    from optimizer.contract.facts import ContractFacts, read_exception

    exceptions = tuple(map(read_exception, catalog.records("contract_exceptions")))
    return ContractFacts(catalog.gpus, catalog.segments, exceptions, lambda spelling: catalog.find_gpu(spelling))

"""The catalog of offers and hardware facts: snapshots read, merged, searched and checked."""

from optimizer.catalog.catalog import Catalog, load_catalog, shipped_directory, user_catalog_directory
from optimizer.catalog.facts import EgressPrice, Link, RegionFact, Server, StorageProduct

__all__ = [
    "Catalog",
    "EgressPrice",
    "Link",
    "RegionFact",
    "Server",
    "StorageProduct",
    "load_catalog",
    "shipped_directory",
    "user_catalog_directory",
]

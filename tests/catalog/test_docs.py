"""docs/catalog.md says what the shipped catalog holds."""

import importlib.util
import re
from pathlib import Path

from optimizer.catalog import Catalog

ROOT = Path(__file__).parents[2]


def test_the_page_is_up_to_date(catalog: Catalog) -> None:
    spec = importlib.util.spec_from_file_location("page", ROOT / "scripts" / "generate_catalog_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    written = (ROOT / "docs" / "catalog.md").read_text(encoding="utf-8")
    assert written == module.page(catalog), "run scripts/generate_catalog_docs.py"


def test_every_finding_is_dealt_with() -> None:
    """The audit has 53 findings, F1 to F53."""
    page = (ROOT / "docs" / "catalog.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| (F\d+) \|", page, flags=re.MULTILINE)
    assert found == [f"F{number}" for number in range(1, 54)]


def test_credit_is_given_where_a_licence_asks_for_it() -> None:
    sources = (ROOT / "catalogs" / "SOURCES.md").read_text(encoding="utf-8")
    assert "SpareCores" in sources
    assert "CC BY-SA 4.0" in sources

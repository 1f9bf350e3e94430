"""Reasons of derived facts have a Chinese form: all that the shipped catalog holds."""

import re

from optimizer.catalog import Catalog
from optimizer.catalog.derived import PREFIX, reason_in_chinese


def test_every_reason_of_the_shipped_catalog_is_told_in_chinese(catalog: Catalog) -> None:
    reasons = {fact for offer in catalog.offers() for fact in offer.machine.facts.values() if fact.startswith(PREFIX)}
    assert len(reasons) > 20
    assert not {reason for reason in reasons if not re.search("[\u4e00-\u9fff]", reason_in_chinese(reason))}


def test_figures_stay_and_a_new_reason_is_shown_as_it_stands() -> None:
    assert reason_in_chinese("derived: vCPU / 2 (two threads a core)") == "vCPU / 2（一核两线程）"
    assert reason_in_chinese("derived: something new") == "something new"

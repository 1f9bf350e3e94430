"""What `verify` cannot know from a plan file, with the reason: the only fields that may change unnoticed.

Patterns are dotted paths; `*` stands for one name or index, `**` for any rest.
"""

from fnmatch import fnmatchcase

FREE = {
    # Words and provenance: nothing else in the plan says the same again.
    "versions.**": "versions of the programs that made it",
    "notes.**": "words",
    "ties_settled": "words of the solver",
    "interrupted": "whether the user stopped the search; status, bound and gap say how far it had come",
    "removals.**": "offers that are not in the plan",
    "catalog.**": "the catalog is not in the plan",
    "as_of": "only the validity of prices depends on it",
    "purchases.*.source": "where a price was seen",
    "purchases.*.note": "words",
    "fx.*.source": "where a rate was seen",
    "fx.*.day": "when a rate was seen",
    "unknowns.*.command": "words; the sentence carries it",
    "offers.*.machine.**": "facts on which no rule or figure of the plan depends (test_damage lists some that it does)",
    "alternatives.*": "one comparison more or less",
    "alternatives.*.title_en": "words",
    "alternatives.*.title_zh": "words",
    "alternatives.*.description": "words",
    "alternatives.*.finish_day": "the other plan is not in the file",
    "alternatives.*.conditional": "the other plan is not in the file",
    "baseline.description": "words",
    "baselines.*": "one comparison more or less",
    "baselines.*.kind": "the other plan is not in the file",
    "baselines.*.status": "the other plan is not in the file",
    "baselines.*.description": "words",
    "rule_prices.*.plan": "words",
    "rule_prices.*.source": "words",
    "rule_prices.*.label": "words",
    "rule_prices.*.against": "words",
    "advice.**": "words of the documents",
    "relaxations.**": "plans that are not in the file",
    "cost.bound": "as stated by the solver (but never above the cost by more than the tolerance)",
    "purchases.*.observed": "when a price was seen; a machine's is compared with its offer's",
    # An altered question: caught only where the answer depends on it (test_damage lists what must be).
    "inputs.**": "another question",
    "options.**": "another question",
    "smallest_budget": "plans that are not in the file",
    "frontier_complete": "plans that are not in the file",
    "frontier.**": "plans that are not in the file",
    "sensitivity.**": "plans that are not in the file",
    # Facts of offers that nothing in the plan depends on.
    "offers.*.canonical_region": "only filters read it",
    "offers.*.country": "only filters read it",
    "offers.*.jurisdiction": "only filters read it",
    "offers.*.zone": "nothing depends on it",
    "offers.*.availability": "nothing depends on it",
    "offers.*.prices.*.source": "words",
    "offers.*.prices.*.note": "words",
    "offers.*.prices.*.valid_from": "validity that the plan's day still meets",
    "offers.*.prices.*.valid_to": "validity that the plan's day still meets",
    "offers.*.prices.*.tax_included": "only where the file's tax differs from what is assumed",
    "offers.*.prices.*.upfront_amount": "only rents and reservations depend on it",
    "offers.*.prices.*.upfront_share": "only rents and reservations of several months depend on it",
    "offers.*.prices.*.billing_unit_hours": "only service by the hour depends on it",
    "offers.*.prices.*.minimum_hours": "only shorter service by the hour depends on it",
    "offers.*.prices.*.interruptions_per_hour": "only spot depends on it",
    "offers.*.prices.*.block_lengths_days.**": "only blocks depend on it",
}

#: What only the fact tables (GPU data sheets, model presets) can tell; free where a plan is verified without them.
FREE_WITHOUT_FACTS = {
    "assignments.*.layout.zero": "the physical model",
    "assignments.*.layout.ep": "the physical model",
    "assignments.*.layout.micro_batch": "the physical model",
    "assignments.*.layout.accumulation": "the physical model",
    "assignments.*.layout.checkpointing": "the physical model",
    "assignments.*.layout.sequence_parallel": "the physical model",
    "assignments.*.host_memory_gib": "the physical model",
    "assignments.*.interval.*": "the physical model",
    "assignments.*.mfu": "the physical model",
    "assignments.*.binds": "the physical model",
    "assignments.*.rules.**": "the rules",
    "offers.*.machine.**": "the rules and the physical model",
}

#: Sums of payments that are each rounded once: a change smaller than those roundings is not seen, a cent is.
COARSE = ("cost.present_value",)


def is_free(path: str, *, with_facts: bool = False) -> bool:
    """Whether a change of this field may pass."""
    patterns = [*FREE] if with_facts else [*FREE, *FREE_WITHOUT_FACTS]
    return any(_matches(path.split("."), pattern.split(".")) for pattern in patterns)


def _matches(names: list[str], pattern: list[str]) -> bool:
    if pattern == ["**"]:
        return True
    if not names or not pattern:
        return not names and not pattern
    return fnmatchcase(names[0], pattern[0]) and _matches(names[1:], pattern[1:])

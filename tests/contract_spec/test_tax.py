"""With tax and without are never added: the total of a part stands on one basis, and says which.

By hand: 2 months at 56,500 with tax are 113,000; 12 months at 48,000 without tax are 576,000, with 13 % tax 650,880;
together 763,880 with tax.
"""

from decimal import Decimal
from typing import Any

import pytest

from optimizer.contract.build import build_contract
from optimizer.contract.document import Table, lay_out, shown_value
from optimizer.contract.spec import Item, Part
from optimizer.domain.offer import Term
from optimizer.domain.plan import Plan
from optimizer.domain.text import Language
from tests.contract_spec import plans
from tests.contract_spec.plans import START, assignment, h100_box, line, offer, plan, price


def mixed(monthly: bool | None, yearly: bool | None, **tax: Any) -> Plan:
    """Two months by the month, then a year reserved; what each source says of tax, and what the file says."""
    box = h100_box()
    spring = START.replace(year=2027, month=2)
    said = {"price_kind": "quote"}
    months = line(box, Term.MONTH, 1, "2", "56500", end=spring, end_day=62, source="q.csv:3", **said)
    dates = {"start": spring, "start_day": 62, "end": spring.replace(year=2028), "end_day": 427}
    year = line(box, Term.RESERVED_1Y, 1, "12", "48000", source="q.csv:2", **dates, **said)
    sold = offer(
        box,
        price(Term.MONTH, "56500", tax_included=monthly),
        price(Term.RESERVED_1Y, "48000", tax_included=yearly),
    )
    return plan((months, year), (assignment(box, 1, *plans.RENTED_RULES),), (sold,), inputs={"tax": tax})


def only(made: Plan) -> Part:
    (part,) = build_contract(made, plans.facts()).parts
    return part


def shown(made: Plan, name: str, language: Language) -> str:
    return shown_value(item(only(made), name), language)


def item(part: Part, name: str) -> Item:
    (found,) = [line for line in part.items if line.id == name]
    return found


def cells(made: Plan, language: Language) -> list[tuple[str, ...]]:
    """The rows of the price schedule."""
    document = lay_out(build_contract(made, plans.facts()), language)
    heads = ("Term", "计费方式")
    (table,) = [block for block in document.blocks if isinstance(block, Table) and block.head[0] in heads]
    return [tuple(map(str, row)) for row in table.rows]


def test_two_stated_bases_are_brought_to_the_price_with_tax() -> None:
    made = mixed(True, False, rate=0.13, recoverable=True)
    assert shown(made, "rent", "zh") == "≤ 763,880.00 CNY（含税）"
    assert shown(made, "rent", "en") == "≤ 763,880.00 CNY (tax included)"
    assert shown(made, "rent.words", "zh") == "人民币柒拾陆万叁仟捌佰捌拾元整（含税）"
    assert "13% 税率" in item(only(made), "rent").clause.zh
    assert "13 % tax" in item(only(made), "rent").clause.en


def test_the_schedule_shows_each_basis_and_how_tax_was_put_on() -> None:
    monthly, yearly = cells(mixed(True, False, rate=0.13), "zh")
    assert monthly[3:5] == ("56,500 CNY/月（含税）", "113,000 CNY（含税）")
    assert yearly[3:5] == ("48,000 CNY/月（不含税）", "576,000 × 1.13 = 650,880.00 CNY（含税）")


def test_the_tax_line_says_what_each_source_says() -> None:
    confirm = item(only(mixed(True, False, rate=0.13)), "rent.tax").confirm
    assert confirm is not None
    assert confirm.zh == "包月（q.csv:3）：含税；预留 1 年（q.csv:2）：不含税。"
    assert confirm.en == "by the month (q.csv:3): tax included; reserved 1 year (q.csv:2): without tax."


def test_without_a_rate_two_bases_are_not_added() -> None:
    made = mixed(True, False)
    rent = item(only(made), "rent")
    assert (rent.value, rent.relation, rent.status) == (None, "fill", "to_confirm")
    assert rent.confirm is not None
    assert "tax.rate" in rent.confirm.zh
    assert item(only(made), "rent.words").value is None


@pytest.mark.parametrize(("included", "words"), [(True, "（含税）"), (False, "（不含税）"), (None, "（按不含税计）")])
def test_one_basis_is_not_converted(included: bool | None, words: str) -> None:
    # 113,000 + 576,000 = 689,000, all on the same basis; the file reads what does not say as without tax.
    made = mixed(included, included, rate=0.13, included=False)
    assert shown(made, "rent", "zh") == f"≤ 689,000.00 CNY{words}"


def test_tax_comes_on_top_of_a_total_without_it() -> None:
    assert "除增值税外不另收费" in item(only(mixed(False, False)), "rent").clause.zh
    assert "此外不另收费" in item(only(mixed(True, True)), "rent").clause.zh


def test_a_source_that_does_not_say_is_named_with_what_the_plan_assumes() -> None:
    # The year's price is assumed to be without tax, so it is converted as if it were stated: 763,880, but not stated.
    made = mixed(True, None, rate=0.13, included=False)
    assert item(only(made), "rent").value == Decimal("763880.00")
    assert shown(made, "rent", "zh") == "≤ 763,880.00 CNY（按含税计）"
    confirm = item(only(made), "rent.tax").confirm
    assert confirm is not None
    assert confirm.zh == "包月（q.csv:3）：含税；预留 1 年（q.csv:2）：来源未说明，按不含税计。"

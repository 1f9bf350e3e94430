"""What the contract says of a plan: nine items, figures, sources, exceptions, kinds. Expected values are by hand."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from optimizer.contract.build import build_contract, require_complete
from optimizer.contract.facts import KnownException
from optimizer.contract.spec import NINE_ITEMS, ContractSpec, Item, Part
from optimizer.domain.finding import VerdictKind
from optimizer.domain.offer import Rdma, Term
from optimizer.domain.plan import Plan
from optimizer.domain.text import Text
from optimizer.errors import InputError
from tests.contract_spec import plans


def build(plan: Plan, **more: Any) -> ContractSpec:
    return build_contract(plan, plans.facts(), **more)


def only(spec: ContractSpec) -> Part:
    (part,) = spec.parts
    return part


def item(part: Part, name: str) -> Item:
    (found,) = [line for line in part.items if line.id == name]
    return found


def threshold(line: Item) -> str:
    assert line.acceptance is not None
    return line.acceptance.threshold.en


# --- completeness -------------------------------------------------------------------------------------------------


def test_every_purchase_carries_the_nine_items() -> None:
    spec = build(plans.all_three())
    assert [part.kind for part in spec.parts] == ["rent", "order", "purchase"]
    for part in spec.parts:
        assert {line.id for line in part.items} >= set(NINE_ITEMS)
        assert [line.id for line in part.items].count("gpu_model") == 1


@pytest.mark.parametrize("name", NINE_ITEMS)
def test_a_missing_item_is_named(name: str) -> None:
    spec = build(plans.rented())
    part = only(spec)
    sections = tuple(
        replace(section, items=tuple(line for line in section.items if line.id != name)) for section in part.sections
    )
    with pytest.raises(InputError) as caught:
        require_complete(replace(spec, parts=(replace(part, sections=sections),)))
    (problem,) = caught.value.problems
    assert problem.field == f"P1.{name}"


def test_a_purchase_without_its_offer_is_refused_with_the_items_that_it_would_lack() -> None:
    with pytest.raises(InputError, match="gpu_model, gpu_memory, cpu"):
        build(plans.rented().model_copy(update={"offers": ()}))


def test_a_plan_without_machines_is_refused() -> None:
    with pytest.raises(InputError, match="a plan that rents or buys machines"):
        build(plans.plan((), (), (), status="infeasible", cost=None))


def test_ids_and_numbers_are_unique() -> None:
    spec = build(plans.all_three())
    keys = [(purchase, line.id) for purchase, line in spec.lines()]
    numbers = [line.number for _, line in spec.lines()]
    assert len(set(keys)) == len(keys)
    assert len(set(numbers)) == len(numbers)
    assert all(numbers)


def test_both_languages_say_something_everywhere() -> None:
    for _, line in build(plans.all_three()).lines():
        texts = [line.title, line.clause, line.source]
        if line.acceptance is not None:
            texts += [line.acceptance.reads, line.acceptance.threshold, line.acceptance.margin]
        assert all(text.en.strip() and text.zh.strip() for text in texts), line.id


# --- figures ------------------------------------------------------------------------------------------------------


def test_figures_of_machines_whose_facts_are_stated() -> None:
    part = only(build(plans.rented()))
    found = {name: item(part, name) for name in ("gpu_model", "gpu_memory", "cpu", "memory", "network", "storage")}
    assert found["gpu_model"].value == Text("NVIDIA H100-SXM5-80GB", "NVIDIA H100-SXM5-80GB")
    values = [found[name].value for name in ("gpu_memory", "cpu", "memory", "network", "storage")]
    assert values == [80, 112, 2_048, 3_200, 30_720]
    for line in found.values():
        assert line.status == "stated"
        assert line.mandatory
        assert "lessor's list" in line.source.en
        assert "2026-10-10" in line.source.en


def test_thresholds_with_their_margins() -> None:
    part = only(build(plans.rented()))
    # nvidia-smi shows 81,559 MiB on an H100: 1 % below is 80,743.41. MemTotal: 2,048 GiB = 2,147,483,648 kB less 4 %.
    assert threshold(item(part, "gpu_memory")) == "≥ 80,743 MiB on every card"
    assert threshold(item(part, "memory")) == "≥ 2,061,584,302 kB"
    # 90 % of 3,200 Gbit/s; all-reduce over machines 80 % of 400 GB/s (D1); inside 70 % of 450 GB/s.
    assert threshold(item(part, "network")) == "≥ 2880 Gbit/s"
    assert threshold(item(part, "network.rdma")) == "≥ 320 GB/s"
    assert threshold(item(part, "network.intra_link")).endswith("busbw ≥ 315 GB/s")
    assert threshold(item(part, "storage.rate")) == "≥ 1.5 GB/s"
    assert threshold(item(part, "gpu_model")).startswith("8 rows")


def test_a_card_without_a_size_on_record_allows_for_ecc_and_the_label() -> None:
    # A10: 24 GB GDDR6 with ECC keeps 93 %: 22.32 GiB = 22,855.68 MiB, less 4 % = 21,941.4.
    assert threshold(item(only(build(plans.ordered())), "gpu_memory")) == "≥ 21,941 MiB on every card"


def test_capability_and_the_software_that_it_needs() -> None:
    part = only(build(plans.rented()))
    assert item(part, "gpu_model.compute_capability").value == 9.0
    stack = item(part, "software_stack").value
    assert isinstance(stack, Text)
    # CUDA 11.8 is the first with compute capability 9.0 (NVIDIA's release notes).
    assert "CUDA ≥ 11.8" in stack.en


def test_amounts_are_the_plans_in_figures_and_words() -> None:
    spec = build(plans.all_three())
    amounts = [item(part, "rent").value for part in spec.parts]
    assert amounts == [Decimal("1800000.00"), Decimal("9351.32"), Decimal("2000000.00")]
    words = [item(spec.parts[place], "rent.words").value for place in (0, 2)]
    assert words == [_same("人民币壹佰捌拾万元整"), _same("人民币贰佰万元整")]


def _same(text: str) -> Text:
    return Text(text, text)


def test_months_that_follow_each_other_are_one_row() -> None:
    (row,) = only(build(plans.ordered())).schedule
    assert (row.quantity, row.amount, row.start, row.end) == (
        Decimal(2),
        Decimal("9351.32"),
        date(2026, 12, 1),
        date(2027, 2, 1),
    )


def test_money_up_front_is_in_the_amount() -> None:
    # 24 machine-months x 75,000 + 2 machines x 100,000 = 2,000,000.
    made = plans.rented()
    sold = made.offers[0]
    dearer = sold.prices[0].model_copy(update={"upfront_amount": Decimal(100_000)})
    plan = made.model_copy(update={"offers": (sold.model_copy(update={"prices": (dearer,)}),)})
    assert item(only(build(plan)), "rent").value == Decimal("2000000.00")


def test_other_currencies_leave_the_words_blank() -> None:
    usd = plans.rented(price_currency="USD", fx_rate=Decimal("6.65288"))
    part = only(build(usd))
    assert item(part, "rent").unit == "USD"
    assert item(part, "rent.words").value is None


def test_power_counts_all_machines() -> None:
    # GPUs alone: 2 machines x 8 x 700 W = 11.2 kW; the bought machine states 10.2 kW.
    assert item(only(build(plans.rented())), "power_cooling").value == 11.2
    assert item(only(build(plans.owned())), "power_cooling").value == 10.2


# --- stated, derived, to be confirmed -----------------------------------------------------------------------------


def test_an_unknown_becomes_the_figure_of_its_rule_to_be_confirmed() -> None:
    box = plans.a10_box(ram_gib=None)
    part = only(build(plans.ordered(box, plans.unknown("ram-total", "2× 24 GB"), plans.unknown("cpu-cores", "> 1"))))
    ram, cores = item(part, "memory"), item(part, "cpu")
    assert (ram.value, ram.status, ram.confirm) == (48, "to_confirm", Text("Ask for ram-total.", "请说明 ram-total。"))
    # More cores than one GPU: two.
    assert (cores.status, cores.confirm) == ("to_confirm", Text("Ask for cpu-cores.", "请说明 cpu-cores。"))


def test_a_fact_that_nobody_states_is_a_blank() -> None:
    line = item(only(build(plans.rented(plans.h100_box(network_gbit_per_s=None)))), "network")
    assert (line.value, line.relation, line.status) == (None, "fill", "to_confirm")


def test_every_unknown_of_a_rule_is_a_line() -> None:
    part = only(build(plans.ordered()))
    asked = {line.confirm.en for line in part.items if line.confirm is not None}
    rules = [found for found in plans.ORDERED_RULES if found.verdict is VerdictKind.UNKNOWN]
    assert {found.confirm_en for found in rules} <= asked
    extra = item(part, "confirm.some-new-rule")
    assert (extra.status, extra.clause.en) == ("to_confirm", "Required: ≥ 7 things")


def test_derived_facts_say_how() -> None:
    box = plans.h100_box(facts={"intra_link": "derived: SXM board"})
    line = item(only(build(plans.rented(box))), "network.intra_link")
    assert line.status == "derived"
    assert line.source.en.startswith("derived: SXM board; lessor's list")
    assert line.source.zh.startswith("推得：SXM board；")


def test_a_source_without_a_date_says_so() -> None:
    line = item(only(build(plans.rented(plans.h100_box(observed=None)))), "memory")
    assert "(date not stated)" in line.source.en


def test_memory_that_is_stated_to_lack_ecc_is_not_sold_as_ecc() -> None:
    line = item(only(build(plans.rented(plans.h100_box(ecc=False)))), "memory.ecc")
    assert (line.value, line.mandatory) == (Text("no ECC", "无 ECC"), False)


# --- what proves a line -------------------------------------------------------------------------------------------


def test_a_virtual_machine_proves_its_host_by_a_report() -> None:
    for name in ("memory.ecc", "memory.type", "cpu.pcie_lanes"):
        virtual = item(only(build(plans.ordered())), name).acceptance
        metal = item(only(build(plans.rented())), name).acceptance
        assert virtual is not None
        assert metal is not None
        assert (virtual.host_report, metal.host_report) == (True, False)


def test_measurable_lines_of_the_issue_have_their_commands() -> None:
    commands = " ".join(line.acceptance.command for line in only(build(plans.rented())).items if line.acceptance)
    for word in (
        "memory.total",
        "compute_cap",
        "topo -m",
        "-q -d ECC",
        "ROW_REMAPPER",
        "uuid",
        "all_reduce_perf",
        "ib_write_bw",
        "fio",
        "bs=4k",
        "stream",
        "dmidecode",
        "lscpu",
        "clocks",
        "dmon",
    ):
        assert word in commands


def test_the_figure_that_physics_forbids_is_never_a_threshold() -> None:
    for _, line in build(plans.all_three()).lines():
        said = [line.clause, *([line.acceptance.threshold, line.acceptance.margin] if line.acceptance else [])]
        assert not any("100 ns" in text.en or "100ns" in text.zh.replace(" ", "") for text in said)


def test_an_ascend_card_is_not_read_with_nvidias_tools() -> None:
    box = plans.h100_box(gpu_model="Ascend-910B", gpu_memory_gib=64, gpu_memory_usable_gib=64, compute_capability=None)
    part = only(build(plans.rented(box)))
    commands = " ".join(line.acceptance.command for line in part.items if line.acceptance)
    assert "nvidia" not in commands
    assert "cuda" not in commands.lower()
    assert "npu-smi info" in commands


def test_one_machine_is_asked_for_no_fabric() -> None:
    names = {line.id for line in only(build(plans.ordered())).items}
    assert not names & {"network.rdma", "network.fabric", "network.intra_link"}


def test_machines_without_rdma_promise_none() -> None:
    line = item(only(build(plans.rented(plans.h100_box(rdma=Rdma.NONE)))), "network.rdma")
    assert (line.value, line.acceptance) == (Text("none", "无"), None)


# --- kinds, vendors, exceptions -----------------------------------------------------------------------------------


def test_an_order_leaves_out_what_no_shop_negotiates() -> None:
    order, rent = build(plans.ordered()), build(plans.ordered(), kinds={"P1": "rent"})
    assert order.common == ()
    assert not order.is_signed
    names = {line.id for line in only(order).items}
    assert not names & {"gpu_model.no_substitution", "rent.price_lock"}
    assert {"gpu_model.no_substitution", "rent.price_lock"} <= {line.id for line in only(rent).items}
    common = {line.id for purchase, line in rent.lines() if purchase is None}
    assert {"acceptance", "data_deletion", "remedies", "entire_agreement", "entire_agreement.promises"} <= common


@pytest.mark.parametrize("name", ["P2", "cloud/north/gn7i"])
def test_the_kind_of_one_purchase_can_be_chosen(name: str) -> None:
    assert [part.kind for part in build(plans.all_three(), kinds={name: "rent"}).parts] == ["rent", "rent", "purchase"]


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [({"P9": "rent"}, "P9"), ({"P3": "rent"}, "buys these machines"), ({"P1": "purchase"}, "the plan rents")],
)
def test_a_kind_that_cannot_be_is_refused(kinds: Any, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        build(plans.all_three(), kinds=kinds)


def test_one_vendor_does_not_read_the_others_parts() -> None:
    spec = build(plans.all_three(), providers=("cloud",))
    assert [part.id for part in spec.parts] == ["P2"]
    with pytest.raises(InputError, match="nobody"):
        build(plans.all_three(), providers=("nobody",))


def test_goods_that_become_the_buyers() -> None:
    part = only(build(plans.owned()))
    goods = {line.id.removeprefix("goods.") for line in part.items if line.id.startswith("goods.")}
    assert goods == {
        *("new_parts", "serials", "warranty", "delivery", "installation", "spares", "declarations", "title"),
    }


def test_a_seller_does_not_run_what_it_sold() -> None:
    part = only(build(plans.owned()))
    names = {line.id for line in part.items}
    rented = {"network.egress", "storage.cold", "response_time.availability", "scaling.early_exit", "scaling.renewal"}
    assert not names & rented
    draw = item(part, "power_cooling")
    assert (draw.value, draw.relation) == (10.2, "at_most")


def test_known_exceptions_stand_below_the_line_that_they_limit() -> None:
    part = only(build(plans.rented()))
    names = [line.id for line in part.items]
    place = names.index("scaling.early_exit.exception")
    assert names[place - 1] == "scaling.early_exit"
    limit = part.items[place]
    assert (limit.status, limit.source.en) == ("stated", "quote of autumn, 2026-11-30")
    assert "scaling.early_exit.exception" not in {line.id for line in only(build(plans.ordered())).items}


@pytest.mark.parametrize(
    ("provider", "kind", "terms", "expected"),
    [
        ("alibaba", "ecs.ebmgn7.26xlarge", {Term.MONTH}, True),
        ("alibaba", "ecs.gn7i-c16g1.4xlarge", {Term.MONTH}, False),
        ("alibaba", "ecs.ebmgn7.26xlarge", {Term.SPOT}, False),
        ("tencent", "ecs.ebmgn7.26xlarge", {Term.MONTH}, False),
    ],
)
def test_an_exception_holds_for_its_types_and_terms(provider: str, kind: str, terms: set[Term], expected: bool) -> None:
    known = KnownException("alibaba", "ecs.ebmgn7.*;ecs.gn5-*", "month;year", "scaling", Text("a", "b"), "s", "d")
    assert known.applies(provider, None, kind, frozenset(terms)) is expected


def test_the_plans_id_follows_its_content() -> None:
    first, again = build(plans.rented()), build(plans.rented())
    other = build(plans.rented(note="another wording"))
    assert first.plan_id == again.plan_id
    assert other.plan_id != first.plan_id
    assert first.catalog_sha256 == plans.SHA

"""From a plan to the contract specification: one part for each purchase of machines."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

from optimizer.contract.bought import Bought, purchases_of, schedule_of
from optimizer.contract.common import common_sections
from optimizer.contract.connections import network_section, storage_section
from optimizer.contract.facts import ContractFacts, KnownException
from optimizer.contract.hardware import gpu_section, host_section
from optimizer.contract.line import asked, said
from optimizer.contract.operation import ownership_section, power_section, software_section
from optimizer.contract.spec import ContractSpec, Item, Kind, Part, Section, missing_items, numbered
from optimizer.contract.terms import rent_section, scaling_section, service_section
from optimizer.domain.finding import Finding, Severity, VerdictKind
from optimizer.domain.offer import PriceKind
from optimizer.domain.plan import Plan
from optimizer.domain.text import Text
from optimizer.errors import InputError, Problem

#: Sellers whose terms are negotiated; all others sell at a list in a web shop.
NEGOTIATING = frozenset({"cn_lessor", "market"})
NEGOTIATED_PRICES = frozenset({PriceKind.MARKET_QUOTE.value, PriceKind.QUOTE.value, PriceKind.STREET.value})
PLAN_ID_LENGTH = 16
#: Clauses that no web shop agrees to: an order checklist leaves them out.
NEGOTIATED_ONLY = frozenset(
    {
        "gpu_model.no_substitution",
        "gpu_model.annex",
        "network.oversubscription",
        "rent.words",
        "rent.deposit",
        "rent.price_lock",
        "scaling.step",
        "scaling.unit_price",
        "response_time.minor",
        "response_time.on_site",
        "response_time.spare",
        "power_cooling.evidence",
    }
)
#: Rules whose question a line of the contract carries; any other unknown gets a line of its own.
CARRIED = frozenset(
    {
        "hbm",
        "compute-capability",
        "cpu-cores",
        "cpu-class",
        "pcie-lanes",
        "ram-total",
        "ram-bandwidth",
        "ecc",
        "rdma",
        "nvlink",
        "interconnect-class",
        "nvme-hot",
        "nvme-capacity",
        "storage-rate",
        "small-file-io",
        "shared-fs",
        "cold-tier",
        "elasticity",
        "power-cooling",
    }
)


def build_contract(
    plan: Plan,
    facts: ContractFacts,
    *,
    kinds: Mapping[str, Kind] | None = None,
    providers: tuple[str, ...] = (),
    file: str = "plan.json",
) -> ContractSpec:
    """The contract specification of a plan.

    `kinds` overrides the kind by part id (`P1`) or offer key (`provider/region/instance_type`), `*` for all;
    `providers` keeps the parts of some vendors only. `file` is the plan's name in messages.

    Raises:
        InputError: nothing to contract, an override that names no purchase or contradicts what is bought, or one of
            the nine items missing; every problem found, each naming the item.
    """
    found = purchases_of(plan, facts.gpus.values(), providers, file)
    chosen = _kinds(found, facts, kinds or {})
    parts = tuple(_part(bought, facts, chosen[bought.id]) for bought in found)
    signed = any(kind != "order" for kind in chosen.values())
    common = numbered(common_sections(), 1, "C") if signed else ()
    spec = ContractSpec(
        plan_id_of(plan), plan.catalog.sha256 if plan.catalog is not None else None, plan.as_of, parts, common
    )
    require_complete(spec, file)
    return spec


def plan_id_of(plan: Plan) -> str:
    """The plan's fingerprint: SHA-256 of what its file states with sorted keys, shortened."""
    content = json.dumps(plan.model_dump(mode="json", exclude_unset=True), sort_keys=True, ensure_ascii=True).encode()
    return hashlib.sha256(content).hexdigest()[:PLAN_ID_LENGTH]


def require_complete(spec: ContractSpec, file: str = "plan.json") -> None:
    """Refuse a specification that lacks one of the nine items for a purchase.

    Raises:
        InputError: one problem for each missing item.
    """
    problems = [
        Problem(file, f"{part.id}.{name}", "no line", f"the item {name} for {part.provider}/{part.instance_type}")
        for part in spec.parts
        for name in missing_items(part)
    ]
    if problems:
        raise InputError(problems)


# --- kinds --------------------------------------------------------------------------------------------------------


def kind_of(bought: Bought, facts: ContractFacts) -> Kind:
    """What sort of deal a purchase is, from who sells it and how its price is known."""
    if bought.is_owned:
        return "purchase"
    negotiated = any(line.price_kind in NEGOTIATED_PRICES for line in bought.lines)
    return "rent" if negotiated or facts.segments.get(bought.offer.provider) in NEGOTIATING else "order"


def _kinds(found: tuple[Bought, ...], facts: ContractFacts, given: Mapping[str, Kind]) -> dict[str, Kind]:
    names = {"*", *(bought.id for bought in found), *(bought.offer.key for bought in found)}
    problems = [
        Problem("--kind", "", name, f"one of {', '.join(sorted(names - {'*'}))}") for name in given if name not in names
    ]
    chosen: dict[str, Kind] = {}
    for bought in found:
        kind = given.get(bought.id) or given.get(bought.offer.key) or given.get("*")
        chosen[bought.id] = kind or kind_of(bought, facts)
        if kind is not None and (kind == "purchase") != bought.is_owned:
            expected = "purchase: the plan buys these machines" if bought.is_owned else "rent or order: the plan rents"
            problems.append(Problem("--kind", bought.id, kind, expected))
    if problems:
        raise InputError(problems)
    return chosen


# --- one part -----------------------------------------------------------------------------------------------------


def _part(bought: Bought, facts: ContractFacts, kind: Kind) -> Part:
    sections = [
        gpu_section(bought),
        host_section(bought),
        network_section(bought),
        storage_section(bought),
        rent_section(bought, kind),
        scaling_section(bought),
        service_section(bought),
        software_section(bought),
        power_section(bought),
    ]
    if kind == "purchase":
        sections.append(ownership_section())
    to_confirm = _other_unknowns(bought)
    if to_confirm:
        sections.append(Section(Text("To be confirmed", "待确认"), to_confirm))
    if kind == "order":
        sections = [_checkable(section) for section in sections]
    carried = _with_exceptions(tuple(sections), bought, facts)
    offer = bought.offer
    return Part(
        bought.id,
        kind,
        offer.provider,
        offer.region,
        offer.instance_type,
        bought.machines,
        numbered(carried, 1, f"{bought.id}-"),
        schedule_of(bought),
    )


def _checkable(section: Section) -> Section:
    """A section without the clauses that only a negotiated contract can hold."""
    return replace(section, items=tuple(item for item in section.items if item.id not in NEGOTIATED_ONLY))


def _other_unknowns(bought: Bought) -> tuple[Item, ...]:
    """A line for each unknown that no other line carries."""
    found: dict[str, Finding] = {}
    for assignment in bought.assignments:
        for finding in assignment.rules:
            weak = finding.severity in (Severity.OFF, Severity.NOTE)
            if finding.verdict is VerdictKind.UNKNOWN and not weak and finding.id not in CARRIED:
                found.setdefault(finding.id, finding)
    return tuple(_unknown(finding) for finding in found.values())


def _unknown(finding: Finding) -> Item:
    question = Text(finding.confirm_en or finding.message_en or finding.id, finding.confirm_zh or finding.message_zh)
    return asked(
        f"confirm.{finding.id}",
        said(finding.id),
        Text(f"Required: {finding.required}", f"要求：{finding.required}"),
        said(finding.source),
        relation="fill",
        confirm=question if question.zh else Text(question.en, question.en),
    )


def _with_exceptions(sections: tuple[Section, ...], bought: Bought, facts: ContractFacts) -> tuple[Section, ...]:
    """Known exceptions of the provider, each as a line after the line that it limits."""
    offer = bought.offer
    segment = facts.segments.get(offer.provider)
    known = [
        exception
        for exception in facts.exceptions
        if exception.applies(offer.provider, segment, offer.instance_type, bought.terms)
    ]
    return tuple(replace(section, items=tuple(_after(section.items, known))) for section in sections)


def _after(items: tuple[Item, ...], known: list[KnownException]) -> Iterable[Item]:
    for item in items:
        yield item
        limits = [exception for exception in known if exception.item == item.id]
        for place, exception in enumerate(limits, start=1):
            yield Item(
                id=f"{item.id}.exception{'' if len(limits) == 1 else f'_{place}'}",
                title=Text(f"Known limit: {item.title.en}", f"已知限制：{item.title.zh}"),
                clause=exception.text,
                status="stated",
                source=said(f"{exception.source}, {exception.observed}"),
            )

"""How one line is written: from a fact of the catalog where there is one, else from what a rule asks for."""

from dataclasses import replace
from typing import Any, Literal

from optimizer.catalog.derived import reason_in_chinese
from optimizer.contract.bought import Bought
from optimizer.contract.spec import Acceptance, Item, Status, Value
from optimizer.domain.finding import Finding, VerdictKind
from optimizer.domain.text import Text
from optimizer.rules.contract_lines import CONTRACT_LINES, ContractLine
from optimizer.rules.rule import Source

IN_WRITING = str(Source("D1", "都白纸黑字写进合同"))
NO_MARGIN = Text("none", "无")
AS_STATED = Text("as the line states", "与条款一致")
HARDWARE: tuple[Literal["pro_rata", "replacement", "termination"], ...] = ("pro_rata", "replacement", "termination")


def said(text: str) -> Text:
    """A text that is the same in both languages."""
    return Text(text, text)


def demanded(*sources: Source | str) -> Text:
    """The source of a demand of the buyer: the documents that make it, or the plan."""
    return said("; ".join(map(str, sources)) or IN_WRITING)


def known(bought: Bought, field: str) -> tuple[Status, Text]:
    """How a field of the machine is known, with its source and day."""
    machine = bought.machine
    fact = machine.facts.get(field, "")
    origin = machine.source or "-"
    day = machine.observed.isoformat() if machine.observed is not None else ""
    dated = f"{origin}, {day}" if day and day not in origin else origin
    undated = "" if day else ("(date not stated)", "（未注日期）")
    english, chinese = (f"{dated} {undated[0]}", f"{dated}{undated[1]}") if undated else (dated, dated)
    if fact.startswith("derived"):
        return "derived", Text(f"{fact}; {english}", f"推得：{reason_in_chinese(fact)}；{chinese}")
    return "stated", Text(english, chinese)


def figure(
    bought: Bought, rule: str | None, value: Value, field: str, *, status: Status | None = None, **line: Any
) -> Item:
    """A line with a figure: the fact where it is known and no rule doubts it, else the rule's own figure to confirm.

    `rule` is the rule whose verdict may doubt the fact; `status` overrides how the fact is known.
    """
    finding = bought.finding(rule) if rule is not None else None
    doubted = finding is not None and finding.verdict is VerdictKind.UNKNOWN
    if value is not None and not doubted:
        how, source = known(bought, field)
        if status == "to_confirm":
            source = _asked(finding)
        return Item(value=value, status=status or how, source=source, **line)
    if value is None and rule is not None:
        value = bought.required(rule)
    if value is None:
        line["relation"] = "fill"
    return Item(value=value, source=_asked(finding), confirm=_question(finding), **line)


def _asked(finding: Finding | None) -> Text:
    if finding is None:
        return Text(f"not stated; {IN_WRITING}", f"未标明；{IN_WRITING}")
    return Text(f"{finding.id}: {finding.source}", f"{finding.id}：{finding.source}")


def _question(finding: Finding | None) -> Text | None:
    if finding is None or not (finding.confirm_en or finding.confirm_zh):
        return None
    return Text(finding.confirm_en or finding.confirm_zh, finding.confirm_zh or finding.confirm_en)


def doubted(bought: Bought, item: Item, *rules: str) -> Item:
    """The line with the question of a rule that does not know; unchanged where none asks."""
    finding = bought.finding(*rules)
    if finding is None or finding.verdict is not VerdictKind.UNKNOWN:
        return item
    return replace(item, status="to_confirm", confirm=item.confirm or _question(finding))


def asked(id_: str, title: Text, clause: Text, source: Text | None = None, **more: Any) -> Item:
    """A clause to agree to, or with relation "fill" a blank that the vendor fills."""
    return Item(id=id_, title=title, clause=clause, source=source or demanded(), **more)


def proof(
    command: str,
    reads: Text,
    threshold: Text = AS_STATED,
    margin: Text = NO_MARGIN,
    *,
    host_report: bool = False,
) -> Acceptance:
    """An acceptance test; without a command the vendor names the tool."""
    return Acceptance(command, reads, threshold, margin, host_report)


def on_host(bought: Bought) -> bool:
    """Whether only a report of the host proves parts of it: on anything that is not known to be bare metal."""
    return not (bought.machine.bare_metal or bought.is_owned)


def document_line(rule: str) -> ContractLine:
    """The line of the documents that a rule carries into every contract."""
    return next(line for line in CONTRACT_LINES if line.id == rule)


def from_documents(id_: str, rule: str, title: Text, **more: Any) -> Item:
    """A clause of the documents with its own acceptance test."""
    line = document_line(rule)
    acceptance = None
    if line.command is not None:
        acceptance = proof(line.command, line.reads or AS_STATED, line.threshold or AS_STATED)
    return Item(id=id_, title=title, clause=line.clause, source=demanded(*line.sources), acceptance=acceptance, **more)

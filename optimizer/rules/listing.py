"""The rules as lists: for `optimize rules`, its JSON, and the generated page."""

from typing import Any, get_args

from optimizer.domain.text import Language, Text
from optimizer.domain.workload import ProfileName
from optimizer.rules.policy import Policy
from optimizer.rules.registry import RULES
from optimizer.rules.rule import DOCUMENTS, GROUPS, Parameter, Rule
from optimizer.rules.statements import STATEMENTS, Statement

PROFILES: tuple[ProfileName, ...] = get_args(ProfileName)


#: Units of parameters; a unit that is not here is the same in both languages.
_UNITS: dict[str, Text] = {
    "GB nominal": Text("GB nominal", "GB（标称）"),
    "GPUs": Text("GPUs", "块 GPU"),
    "10⁹ parameters": Text("× 10⁹ parameters", "× 10⁹ 参数"),
    "days": Text("days", "天"),
    "of the deadline": Text("of the deadline", "（占期限的份额）"),
    "cores": Text("cores", "核"),
    "threads": Text("threads", "线程"),
    "lanes": Text("lanes", "通道"),
    "passes": Text("passes", "遍"),
    "nodes": Text("nodes", "个节点"),
}
_OURS = Text("ours", "本产品")
#: What the rules without a figure hold a machine to, for readers of Chinese; the others are told by their figures.
_FORMULAS_ZH = {
    "vram-fit": "权重 + 梯度 + 优化器状态 + 激活 + logits + 缓冲 ≤ 每卡可用显存",
    "gpu-homogeneous": "任务的每块 GPU 为同一标准型号，显存即该型号的显存",
    "ecc": "主机内存有 ECC；服务器平台可推得，市场平台的主机除非标明否则未知",
    "power-cooling": "节点数 × 满载（kW）× PUE ≤ 场地电力；限额为机柜的，PUE 取 1",
    "rdma": "两个节点起：EFA、InfiniBand、RoCE 或 eRDMA；GPUDirect-TCPX 不是 RDMA；仅当厂商清单封闭时，留空才算没有",
    "io-impact": "所选布局不受限于数据读取",
    "no-shrink": "不用 vGPU、MIG 切片或不足一整块的卡；合同重申并复测",
    "elasticity": "厂商说明租期内可以扩缩机器",
}


def figure(parameter: Parameter, language: Language = "en") -> str:
    """A parameter in one line: strict and floor where they differ, and who states which figure."""
    span = " / ".join(dict.fromkeys((parameter.shown(parameter.strict), parameter.shown(parameter.floor))))
    stated = ", ".join(
        f"{_OURS.say(language) if document == _OURS.en else document} {parameter.shown(value)}"
        for document, value in parameter.stated.items()
    )
    unit = _UNITS.get(parameter.unit, Text(parameter.unit, parameter.unit)).say(language)
    if language == "en" and span == "1":
        unit = {"passes": "pass"}.get(unit, unit.removesuffix("s"))
    sources = f"（{stated}）" if language == "zh" else f" ({stated})"
    return f"{parameter.name} {span} {unit}".rstrip() + sources


def formula(rule: Rule, language: Language) -> str:
    """What a rule without parameters compares."""
    return _FORMULAS_ZH.get(rule.id, rule.formula) if language == "zh" else rule.formula


def figures(rule: Rule) -> str:
    """All parameters of a rule in one line; a dash for a rule without any."""
    return "; ".join(map(figure, rule.parameters)) or "–"


def documents(entry: Rule | Statement) -> str:
    """The documents that an entry rests on, each once, in order."""
    return ", ".join(dict.fromkeys(source.document for source in entry.sources))


def listing(profile: ProfileName, language: Language) -> dict[str, Any]:
    """Everything that `optimize rules --json` says, in one language, with what a profile makes of each rule."""
    policy = Policy(profile)
    return {
        "profile": profile,
        "documents": dict(DOCUMENTS),
        "groups": {group: title.say(language) for group, title in GROUPS.items()},
        "rules": [_rule(rule, policy, language) for rule in RULES],
        "statements": [_statement(statement, language) for statement in STATEMENTS],
    }


def _rule(rule: Rule, policy: Policy, language: Language) -> dict[str, Any]:
    return {
        "id": rule.id,
        "group": rule.group,
        "scope": rule.scope,
        "title": rule.title.say(language),
        "formula": rule.formula,
        "documents": [{"document": source.document, "anchor": source.anchor} for source in rule.sources],
        "parameters": [_parameter(parameter) for parameter in rule.parameters],
        "severity": {name: rule.severity[name].value for name in PROFILES},
        "in_force": {"severity": policy.severity(rule).value, "figures": dict(policy.figures(rule))},
        "confirm": rule.confirm.say(language) if rule.confirm is not None else None,
    }


def _parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "unit": parameter.unit,
        "strict": parameter.strict,
        "floor": parameter.floor,
        "stated": dict(parameter.stated),
        "names": {f"{figure:g}": name for figure, name in parameter.names.items()},
    }


def _statement(statement: Statement, language: Language) -> dict[str, Any]:
    return {
        "id": statement.id,
        "group": statement.group,
        "kind": statement.kind,
        "figure": statement.figure,
        "text": statement.text.say(language),
        "shows": statement.shows.say(language),
        "documents": [{"document": source.document, "anchor": source.anchor} for source in statement.sources],
    }

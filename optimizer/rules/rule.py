"""What a rule is: one frozen entry with its documents, figures, severities, formula, words and examples."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

from optimizer.domain.finding import Severity, VerdictKind
from optimizer.domain.text import Language, Text
from optimizer.domain.workload import ProfileName
from optimizer.rules.context import Context

DocumentId = Literal["D0", "D1", "D4", "ours"]
Group = Literal["A", "B", "C", "D", "E", "F", "G"]
Scope = Literal["configuration", "term", "fleet", "contract", "model", "case", "note"]

#: The three documents by their titles; "ours" marks what no document states.
DOCUMENTS: Final[Mapping[DocumentId, str]] = MappingProxyType(
    {
        "D0": "AI模型训练用什么GPU服务器配置才不卡顿不OOM？",
        "D1": "服务器租用：AI 大模型训练如何选 GPU 配置才不踩坑",
        "D4": "为什么你的大模型训练总是慢、经常崩？",
        "ours": "this project",
    }
)

GROUPS: Final[Mapping[Group, Text]] = MappingProxyType(
    {
        "A": Text(en="Fit of the GPU to the model", zh="显卡与模型的匹配"),
        "B": Text(en="Host around the GPU", zh="显卡周围的主机"),
        "C": Text(en="Storage", zh="存储"),
        "D": Text(en="Interconnect", zh="互联"),
        "E": Text(en="Software", zh="软件"),
        "F": Text(en="Term and money", zh="租期与费用"),
        "G": Text(en="Explanations", zh="现象说明"),
    }
)

Value = float | int | str | Text | None
Values = Mapping[str, Value]


class Source(NamedTuple):
    """Where a document says it: its id and a few of its own words, to search for."""

    document: DocumentId
    anchor: str

    def __str__(self) -> str:
        return self.document if not self.anchor else f"{self.document} “{self.anchor}”"


class Parameter(NamedTuple):
    """A figure of a rule by name: the strictest documented, the documented floor, and who states which.

    `strict` equals `floor` where the documents agree or only one speaks. `stated` gives each document's figure;
    a figure of ours is stated by "ours". `names` reads figures that are no quantities.
    """

    name: str
    strict: float
    floor: float
    unit: str
    stated: Mapping[DocumentId, float]
    names: Mapping[float, str] = MappingProxyType({})

    def shown(self, figure: float) -> str:
        """A figure of this parameter as people read it, without its unit."""
        return self.names.get(figure, f"{figure:g}")


class Verdict(NamedTuple):
    """What a rule says of a context, with the numbers used; words are made only when somebody reads them.

    `say` names the message (default: that of the kind). `at_most` weakens the severity where the rule is only
    advised in this context.
    """

    kind: VerdictKind
    values: Values = MappingProxyType({})
    say: str = ""
    at_most: Severity | None = None


PASS: Final = VerdictKind.PASS
FAIL: Final = VerdictKind.FAIL
UNKNOWN: Final = VerdictKind.UNKNOWN
NOT_APPLICABLE: Final = Verdict(VerdictKind.NOT_APPLICABLE)

Figures = Mapping[str, float]
Check = Callable[[Context, Figures], Verdict]


@dataclass(frozen=True, slots=True)
class Example:
    """A context for which a rule passes or fails, as changes to the plain context of `optimizer.rules.examples`."""

    machine: Mapping[str, Any] = field(default_factory=dict)
    gpu: str = "A100-SXM4-80GB"
    work: Mapping[str, Any] = field(default_factory=dict)
    context: Mapping[str, Any] = field(default_factory=dict)
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule of the documents. `check` is pure and reads only the context and the figures it is given.

    `messages` has a text for each verdict kind and each `say`; `measured` and `required` are short templates in
    symbols, filled from the verdict's values. `confirm` is what to ask whom, with the command that proves it.
    `physical` rules hold under every profile and cannot be switched off. `machine_only` promises that the verdict
    depends on nothing but machine, GPU and the GPUs used of it, so that it is worked out once for all workloads.
    """

    id: str
    group: Group
    scope: Scope
    title: Text
    sources: tuple[Source, ...]
    severity: Mapping[ProfileName, Severity]
    formula: str
    check: Check
    messages: Mapping[str, Text]
    measured: str
    required: str
    passing: tuple[Example, ...]
    failing: tuple[Example, ...]
    parameters: tuple[Parameter, ...] = ()
    confirm: Text | None = None
    physical: bool = False
    machine_only: bool = False

    @property
    def source(self) -> str:
        """All sources in one line."""
        return "; ".join(str(source) for source in self.sources)

    def parameter(self, name: str) -> Parameter:
        """A parameter by name; KeyError when the rule has none of that name."""
        return {parameter.name: parameter for parameter in self.parameters}[name]

    def strict_figures(self) -> dict[str, float]:
        """The strictest documented figures by name."""
        return {parameter.name: parameter.strict for parameter in self.parameters}

    def floor_figures(self) -> dict[str, float]:
        """The documented floors by name."""
        return {parameter.name: parameter.floor for parameter in self.parameters}


def severities(documents: Severity, floor: Severity | None = None) -> Mapping[ProfileName, Severity]:
    """Severity per profile: strict as documents, floor the same unless said, off a note."""
    under_floor = documents if floor is None else floor
    return MappingProxyType({"documents": documents, "strict": documents, "floor": under_floor, "off": Severity.NOTE})


def passed(values: Values) -> Verdict:
    """A pass with the numbers used."""
    return Verdict(PASS, values)


def failed(values: Values) -> Verdict:
    """A fail with the numbers used."""
    return Verdict(FAIL, values)


def decided(is_met: bool, values: Values) -> Verdict:
    """A pass or a fail with the numbers used."""
    return Verdict(PASS if is_met else FAIL, values)


def unknown(values: Values) -> Verdict:
    """An unknown with the numbers used; it admits as conditional and never passes in silence."""
    return Verdict(UNKNOWN, values)


def shown(value: Value, language: Language) -> str:
    """A value as people read it: three decimals below 10, one above, no trailing zeros; nothing known is said so."""
    if value is None:
        return "unknown" if language == "en" else "未知"
    if isinstance(value, Text):
        return value.say(language)
    if isinstance(value, bool) or not isinstance(value, float):
        return str(value)
    if abs(value) >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.{3 if abs(value) < 10 else 1}f}".rstrip("0").rstrip(".")


def filled(template: str, values: Values, language: Language) -> str:
    """A template with the verdict's values in one language; a value that the verdict lacks is unknown."""
    return template.format_map(_Shown(values, language))


class _Shown(dict[str, str]):
    """Values by name as people read them, made when a template asks for them."""

    def __init__(self, values: Values, language: Language) -> None:
        super().__init__()
        self._values = values
        self._language = language

    def __missing__(self, name: str) -> str:
        return shown(self._values.get(name), self._language)

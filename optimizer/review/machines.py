"""Which lines of a bill are GPU machines: from a descriptor to a provider, an instance type and its GPUs.

Evidence in this order: the user's own alias table, the instance type that the line states, an instance type of the
provider's offers inside usage type, meter or description, a GPU name beside the word GPU. Nothing is guessed from a
prefix: a name matches whole or not at all.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path

from optimizer.domain.offer import Machine, Offer
from optimizer.errors import InputError, Problem
from optimizer.files import read_text
from optimizer.review.queries import DESCRIPTOR, Counts, MachineRow
from optimizer.review.units import HourUnit, hour_unit

FindGpu = Callable[[str], str | None]
LONGEST_NAME_WORDS = 8

#: Names of providers as bills write them; anything else is taken in lower case.
PROVIDER_NAMES = {
    "aws": ("amazon", "aws", "amazon web services", "amazon web services, inc.", "amazon web services inc"),
    "azure": ("microsoft", "azure", "microsoft azure", "azure china", "microsoft corporation"),
    "gcp": ("google", "google cloud", "gcp", "google cloud platform"),
    "oci": ("oracle", "oci", "oracle cloud", "oracle cloud infrastructure"),
    "alibaba": ("alibaba", "alibaba cloud", "aliyun", "阿里云"),
    "tencent": ("tencent", "tencent cloud", "腾讯云"),
    "huawei": ("huawei", "huawei cloud", "华为云"),
    "volcengine": ("volcengine", "火山引擎", "byteplus"),
    "baidu": ("baidu", "baidu ai cloud", "百度智能云"),
    "lambda": ("lambda", "lambda labs", "lambda cloud"),
    "verda": ("verda", "datacrunch"),
    "digitalocean": ("digitalocean", "digital ocean"),
    "vast": ("vast", "vast.ai"),
}
_PROVIDER_BY_NAME = {name: provider for provider, names in PROVIDER_NAMES.items() for name in names}

#: Lines that name a machine without being its rent: licences, disks, traffic, support (faults.md B13).
_NOT_THE_MACHINE = re.compile(
    r"ebs.?optimi[sz]ed|ubuntu pro|licen[cs]e|\brhel\b|\bsuse\b|cpu ?credits?|data ?transfer|snapshot|nat ?gateway"
    r"|\bdisk\b|\bvolume\b|\bbandwidth\b|\btraffic\b|support fee|elastic ?ip"
    r"|系统盘|数据盘|云盘|硬盘|带宽|流量|公网|镜像|快照|许可|软件",
    re.IGNORECASE,
)
#: AWS usage types that are the running or reserved machine itself (CUR user guide, line item details).
_AWS_MACHINE_USAGE = re.compile(
    r"(?:^|-)(BoxUsage|SpotUsage|DedicatedUsage|HeavyUsage|HostBoxUsage|UnusedBox|UnusedDed)\b"
)
_AWS_IDLE_USAGE = re.compile(r"(?:^|-)Unused(Box|Ded)")
#: Components of a machine that carry its hours, where a bill splits a machine into components.
_HOUR_COMPONENTS = re.compile(r"^$|cpu|instance|compute|machine|实例|配置|规格|机型|计算|服务器", re.IGNORECASE)
#: GPU as a word of its own, also between Chinese ones (CVM-GPU型).
_GPU_WORDS = re.compile(
    r"(?<![0-9a-z])gpus?(?![0-9a-z])|nvidia|tesla|geforce|radeon|instinct|ascend|昇腾|显卡", re.IGNORECASE
)
_GPU_COUNT = re.compile(r"(?<![0-9a-z])([1-9][0-9]?)\s?x[\s_-]?", re.IGNORECASE)
#: Instance families that always carry GPUs, to name what no offer knows instead of losing it.
_GPU_FAMILIES = {
    "aws": re.compile(r"^(?:ml\.)?(?:p[2-9]|g[3-9])[a-z0-9-]*\.", re.IGNORECASE),
    "azure": re.compile(r"^(?:standard_)?n[cdgv][0-9]", re.IGNORECASE),
    "alibaba": re.compile(r"^ecs\.(?:e?bm)?(?:gn|vgn|sgn)[0-9]", re.IGNORECASE),
    "tencent": re.compile(r"^(?:gn|gi|pnv|hcc[a-z]*g)[0-9a-z]*\.", re.IGNORECASE),
}
_WORD = re.compile(r"[0-9a-z\u4e00-\u9fff]+")


@dataclass(frozen=True, slots=True)
class BilledMachine:
    """One kind of machine in the bill. `gpus` of one machine; `None` where the bill and the offers do not say.

    `per_gpu`: its hours count single GPUs and its money leaves out the host around them. `idle`: reserved, not run.
    """

    provider: str
    instance_type: str
    gpu_model: str | None
    gpus: Decimal | None
    per_gpu: bool = False
    idle: bool = False


@dataclass(frozen=True, slots=True)
class _Known:
    instance_type: str
    gpu_model: str | None
    gpus: Decimal | None
    per_gpu: bool = False


@dataclass(frozen=True)
class Alias:
    """One row of the user's alias table: a text that stands in the bill, and the machine that it means."""

    text: str
    provider: str
    instance_type: str
    gpu_model: str | None = None
    gpus: Decimal | None = None


@dataclass(frozen=True, slots=True)
class KnownMachine:
    """What a plan or a contract says of a machine: its name at the provider and its GPUs."""

    provider: str
    instance_type: str
    gpu_model: str
    gpus: Decimal


def provider_id(name: str) -> str:
    """The provider's id for a name as bills write it."""
    plain = name.strip().casefold()
    return _PROVIDER_BY_NAME.get(plain, plain)


def gpus_of(machine: Machine) -> Decimal:
    """GPUs of one machine; a part of a GPU where the machine has a slice of one."""
    gpus = Decimal(machine.gpu_count)
    return gpus if machine.gpu_fraction is None else gpus * Decimal(str(machine.gpu_fraction))


def name_key(name: str) -> str:
    """A machine's name without case and punctuation, and without the prefixes that only some bills write."""
    words = _WORD.findall(name.casefold())
    if words[:1] in (["standard"], ["ml"]) and len(words) > 1:
        words = words[1:]
    return "".join(words)


def read_aliases(path: Path) -> list[Alias]:
    """Read the user's alias table: text, provider, instance_type, and gpu_model, gpus for machines without an offer.

    Raises:
        InputError: no text, columns missing, or a number of GPUs that is no number.
    """
    rows = csv.DictReader(io.StringIO(read_text(path, "a CSV file of aliases"), newline=""))
    problems, aliases = [], []
    for line, row in enumerate(rows, start=2):
        try:
            gpus = Decimal(row["gpus"]) if row.get("gpus") else None
            aliases.append(
                Alias(
                    row["text"], provider_id(row["provider"]), row["instance_type"], row.get("gpu_model") or None, gpus
                )
            )
        except (KeyError, InvalidOperation) as error:
            found = f"no column {error}" if isinstance(error, KeyError) else f"gpus {row.get('gpus')!r}"
            expected = "text, provider, instance_type, gpu_model, gpus (a number)"
            problems.append(Problem(str(path), "", found, expected, line))
    if problems:
        raise InputError(problems)
    return aliases


@dataclass
class MachineFinder:
    """Judges descriptors against the offers, the GPU names and the user's aliases; numbers the machines found.

    `also` are machines that no offer need know: the first word on a machine stands.
    """

    offers: Iterable[Offer] = ()
    find_gpu: FindGpu | None = None
    aliases: Sequence[Alias] = ()
    also: Iterable[KnownMachine] = ()
    machines: list[BilledMachine] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._numbers: dict[BilledMachine, int] = {}
        self._by_provider: dict[str, dict[str, _Known]] = {}
        self._aliases = {alias.text.strip().casefold(): alias for alias in self.aliases}
        for offer in self.offers:
            self._learn(offer)
        for machine in self.also:
            known = _Known(machine.instance_type, machine.gpu_model, machine.gpus)
            self._by_provider.setdefault(machine.provider, {}).setdefault(name_key(machine.instance_type), known)

    def _learn(self, offer: Offer) -> None:
        machine = offer.machine
        known = _Known(machine.instance_type, machine.gpu_model, gpus_of(machine))
        table = self._by_provider.setdefault(offer.provider, {})
        other = table.setdefault(name_key(machine.instance_type), known)
        if (other.gpu_model, other.gpus) != (known.gpu_model, known.gpus):
            # One name for two machines: which one is billed cannot be told.
            table[name_key(machine.instance_type)] = _Known(machine.instance_type, None, None)

    def judge(self, descriptor: Sequence[str]) -> MachineRow | None:
        """How lines with this descriptor count, or `None` when they are no GPU machine."""
        line = dict(zip(DESCRIPTOR, descriptor, strict=True))
        provider = provider_id(line["provider"])
        details = _details(line["sku_details"])
        known = self._known(provider, line, details)
        if known is None or self._is_something_else(line):
            return None
        provider = known[1] or provider
        units = [_unit(line, name) for name in ("unit", "pricing_unit")]
        per_gpu = known[0].per_gpu or any(unit is not None and unit.per_gpu for unit in units)
        idle = bool(_AWS_IDLE_USAGE.search(line["usage_type"]))
        machine = BilledMachine(provider, known[0].instance_type, known[0].gpu_model, known[0].gpus, per_gpu, idle)
        return self._row(descriptor, machine, units, counts_hours=bool(_HOUR_COMPONENTS.search(line["component"])))

    def _row(
        self, descriptor: Sequence[str], machine: BilledMachine, units: list[HourUnit | None], *, counts_hours: bool
    ) -> MachineRow:
        number = self._numbers.setdefault(machine, len(self._numbers))
        if number == len(self.machines):
            self.machines.append(machine)
        texts = tuple(descriptor)
        if not counts_hours:
            return MachineRow(texts, number, has_hours=True)
        for unit, counts in zip(units, (Counts.QUANTITY, Counts.PRICING_QUANTITY), strict=True):
            if unit is not None and unit.hours is not None:
                return MachineRow(texts, number, counts, unit.hours, has_hours=True)
        months = next((unit.period_months for unit in units if unit is not None and unit.period_months), None)
        if months is not None:
            counts = Counts.MONTHS if months == 1 else Counts.YEARS
            return MachineRow(texts, number, counts, Decimal(1), has_hours=True)
        return MachineRow(texts, number)

    def _is_something_else(self, line: Mapping[str, str]) -> bool:
        text = " ".join((line["description"], line["usage_type"], line["component"]))
        if _AWS_MACHINE_USAGE.search(line["usage_type"]):
            text = line["description"]
        return bool(_NOT_THE_MACHINE.search(text)) and not _is_rent_with_os(text)

    def _known(self, provider: str, line: Mapping[str, str], details: Mapping[str, str]) -> tuple[_Known, str] | None:
        for name in ("instance_type", "usage_type", "sku", "description"):
            alias = self._aliases.get(line[name].strip().casefold())
            if alias is not None:
                offered = self._by_provider.get(alias.provider, {}).get(name_key(alias.instance_type))
                fallback = _Known(alias.instance_type, alias.gpu_model, alias.gpus)
                return (offered if offered and alias.gpu_model is None else fallback), alias.provider
        found = (
            self._stated(provider, line, details)
            or self._written(provider, line)
            or self._by_gpu(provider, line, details)
        )
        return None if found is None else (found, "")

    def _stated(self, provider: str, line: Mapping[str, str], details: Mapping[str, str]) -> _Known | None:
        table = self._by_provider.get(provider, {})
        for name in (line["instance_type"], details.get("instancetype", "")):
            if not name:
                continue
            known = table.get(name_key(name))
            if known is not None:
                return _Known(name.strip(), known.gpu_model, known.gpus) if name_key(name) else known
            model = self._gpu_named(details)
            if model is not None:
                return _Known(name.strip(), model, _count(details))
            family = _GPU_FAMILIES.get(provider)
            if family is not None and family.match(name):
                return _Known(name.strip(), None, _count(details))
        return None

    def _written(self, provider: str, line: Mapping[str, str]) -> _Known | None:
        table = self._by_provider.get(provider)
        if not table:
            return None
        for name in ("usage_type", "sku", "description", "service"):
            for words in _runs(line[name]):
                known = table.get(words)
                if known is not None and any(mark.isdigit() for mark in words) and len(words) >= 4:
                    return known
        return None

    def _by_gpu(self, provider: str, line: Mapping[str, str], details: Mapping[str, str]) -> _Known | None:
        model = self._gpu_named(details)
        name = line["instance_type"] or line["usage_type"] or line["sku"] or line["description"]
        if model is not None:
            return _Known(name, model, _count(details))
        text = " ".join((line["description"], line["usage_type"], line["instance_type"]))
        unit = hour_unit(line["unit"]) or hour_unit(line["pricing_unit"])
        if not _GPU_WORDS.search(text) and not (unit is not None and unit.per_gpu):
            return None
        model = self._gpu_in(text)
        if model is None and unit is None:
            return None
        count = _count(details)
        found = _GPU_COUNT.search(text)
        gpus = count if count is not None else Decimal(found[1]) if found else None
        # Google sells GPUs beside the machine: a line about the GPU alone counts GPUs.
        alone = gpus is None and provider == "gcp" and not line["instance_type"]
        return _Known(name, model, gpus, alone)

    def _gpu_named(self, details: Mapping[str, str]) -> str | None:
        names = (details.get(key, "") for key in ("gpumodel", "model", "gputype", "xgpumodel"))
        return next((found for name in names if name and (found := self._gpu(name))), None)

    def _gpu(self, name: str) -> str | None:
        return self.find_gpu(name) if self.find_gpu is not None else None

    def _gpu_in(self, text: str) -> str | None:
        words = re.findall(r"[0-9A-Za-z.+-]+", text)
        for length in range(min(5, len(words)), 0, -1):
            for start in range(len(words) - length + 1):
                found = self._gpu(" ".join(words[start : start + length]))
                if found is not None:
                    return found
        return None


def _is_rent_with_os(text: str) -> bool:
    """AWS calls the machine itself "On Demand RHEL p4d.24xlarge Instance Hour": the operating system is part of it."""
    return bool(re.search(r"\b(?:on demand|spot|reserved)\b.*\binstance.hour", text, re.IGNORECASE))


def _runs(text: str) -> Iterator[str]:
    """All runs of words, longest first, as name keys."""
    words = _WORD.findall(text.casefold())
    for length in range(min(LONGEST_NAME_WORDS, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            yield "".join(words[start : start + length])


def _details(text: str) -> dict[str, str]:
    """SkuPriceDetails (JSON) or `key=value;` text with plain keys."""
    if not text:
        return {}
    if text.startswith("{"):
        try:
            pairs = json.loads(text).items()
        except (ValueError, AttributeError):
            return {}
    else:
        pairs = (item.split("=", 1) for item in text.split(";") if "=" in item)
    return {"".join(_WORD.findall(str(key).casefold())): str(value) for key, value in pairs if value is not None}


def _count(details: Mapping[str, str]) -> Decimal | None:
    text = details.get("gpucount") or details.get("count") or ""
    try:
        return Decimal(text) if text and Decimal(text) > 0 else None
    except InvalidOperation:
        return None


def _unit(line: Mapping[str, str], name: str) -> HourUnit | None:
    unit = hour_unit(line[name])
    if unit is None and name == "unit" and not line[name] and _AWS_MACHINE_USAGE.search(line["usage_type"]):
        return HourUnit(Decimal(1))
    return unit

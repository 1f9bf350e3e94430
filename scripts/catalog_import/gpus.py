"""The GPU table in our own form, and the resolution of every spelling to a canonical id or a stated reason."""

from pathlib import Path

from catalog_import.raw import RawRow, matches, records, table
from optimizer.catalog.facts import read_gpu
from optimizer.catalog.names import GpuNames, folded
from optimizer.domain.gpu import Gpu

COLUMNS = (
    "model",
    "vendor",
    "architecture",
    "release_year",
    "memory_gib",
    "memory_reported_mib",
    "memory_type",
    "memory_bandwidth_gbyte_per_s",
    "fp32_tflops",
    "tf32_tflops",
    "bf16_tflops",
    "fp16_tflops",
    "fp8_tflops",
    "fp4_tflops",
    "compute_capability",
    "nvlink_gbyte_per_s",
    "pcie_generation",
    "pcie_lanes",
    "tdp_watts",
    "ecc",
    "form_factor",
    "unconfirmed",
    "source",
    "observed",
    "note",
)
_RENAMED = {
    "memory_reported_mib": "memory_mib_reported",
    "memory_bandwidth_gbyte_per_s": "memory_bandwidth_gbs",
    "tf32_tflops": "tf32_tensor_tflops_dense",
    "bf16_tflops": "bf16_tensor_tflops_dense",
    "fp16_tflops": "fp16_tensor_tflops_dense",
    "fp8_tflops": "fp8_tensor_tflops_dense",
    "fp4_tflops": "fp4_tensor_tflops_dense",
    "nvlink_gbyte_per_s": "nvlink_bandwidth_gbs",
    "pcie_generation": "pcie_gen",
    "tdp_watts": "tdp_w",
    "unconfirmed": "unconfirmed_fields",
    "observed": "observed_date",
    "note": "notes",
}
_FIGURES = COLUMNS[4:6] + COLUMNS[7:19]
_ALIAS_PROVIDERS = {
    "vastai": "vast",
    "aws-karpenter": "aws",
    "nvidia-smi or Chinese vendor spelling": "",
}
ALIAS_COLUMNS = ("alias", "provider", "memory_gib", "model", "reason", "source", "observed")
#: Day on which the hand-kept tables were written.
DECIDED = "2026-11-30"


def gpu_rows(raw: Path) -> list[dict[str, str]]:
    """Rows of facts/gpus.csv: data sheets, corrections of the audit, and one entry per open form factor."""
    rows = [{name: row[_RENAMED.get(name, name)] for name in COLUMNS} for row in records(raw / "gpus.csv")]
    rows += [{name: row.get(name, "") for name in COLUMNS} for row in table("gpus_extra.csv")]
    by_model = {row["model"]: row for row in rows}
    for row in rows:
        row["compute_capability"] = row["compute_capability"] if row["vendor"] == "NVIDIA" else ""
    for fix in table("gpu_corrections.csv"):
        row = by_model[fix["model"]]
        row[fix["field"]] = fix["value"]
        row["note"] = "; ".join(filter(None, [row["note"], f"{fix['field']}: {fix['reason']} ({fix['finding']})"]))
    rows += [_family(family, by_model) for family in table("gpu_families.csv")]
    return sorted(rows, key=lambda row: row["model"])


def _family(family: dict[str, str], by_model: dict[str, dict[str, str]]) -> dict[str, str]:
    """A card whose form factor a source leaves open: the smallest figure of its variants, no NVLink assumed."""
    variants = [by_model[name] for name in family["variants"].split(";")]
    row = dict(variants[0])
    for name in _FIGURES:
        values = [variant[name] for variant in variants]
        row[name] = min(values, key=float) if all(values) else ""
    names = " and ".join(variant["model"] for variant in variants)
    row |= {
        "model": family["model"],
        "memory_type": variants[0]["memory_type"] if len({v["memory_type"] for v in variants}) == 1 else "",
        "tdp_watts": max((v["tdp_watts"] for v in variants if v["tdp_watts"]), key=float, default=""),
        "nvlink_gbyte_per_s": "",
        "form_factor": "",
        "unconfirmed": "",
        "source": f"derived: smallest figure of {names}; " + variants[0]["source"],
        "note": "; ".join(filter(None, ["form factor not stated by the seller: no NVLink assumed", family["note"]])),
    }
    return row


def alias_rows(raw: Path) -> list[dict[str, str]]:
    """Rows of facts/gpu_aliases.csv: published spellings, the spellings of price lists, and unmapped ones."""
    rows = [
        {
            "alias": row["alias"],
            "provider": _ALIAS_PROVIDERS.get(row["provider"], row["provider"]),
            "memory_gib": row["memory_gib_hint"],
            "model": row["model"],
            "reason": "" if row["model"] else row["notes"] or "ambiguous name",
            "source": row["source"] or "expected spelling, not seen",
            "observed": DECIDED,
        }
        for row in records(raw / "gpu_aliases.csv")
    ]
    own = [
        {**row, "source": "spelling of a price list; decision of the import", "observed": DECIDED}
        for row in table("gpu_aliases.csv")
    ]
    overridden = {(folded(row["alias"]), row["provider"]) for row in own}
    rows = [row for row in rows if (folded(row["alias"]), row["provider"]) not in overridden]
    distinct = {tuple(row.items()): row for row in [*rows, *own]}
    return sorted(distinct.values(), key=lambda row: (row["alias"], row["provider"], row["memory_gib"], row["model"]))


class GpuResolver:
    """From a raw row to its GPU: by instance type where the family settles it, else by the alias table."""

    def __init__(self, gpus: list[dict[str, str]], aliases: list[dict[str, str]]) -> None:
        self.gpus: dict[str, Gpu] = {row["model"]: read_gpu(row) for row in gpus}
        self._names = GpuNames(self.gpus, aliases)
        self._by_instance = table("gpu_by_instance.csv")
        self._reasons = self._names.unmapped()

    def resolve(self, row: RawRow, memory_gib: float | None) -> tuple[Gpu | None, str]:
        """The GPU and how it was settled, or `None` and the reason why not."""
        spelling = row["gpu_model"]
        for rule in self._by_instance:
            if (
                rule["provider"] == row.provider
                and rule["spelling"] == spelling
                and matches(row.instance_type, rule["instance_type"])
            ):
                return self.gpus[rule["model"]], f"derived: {rule['reason']}"
        is_share = is_vgpu(spelling)
        model = self._names.find(spelling, row.provider, None if is_share else memory_gib)
        if model is not None:
            return self.gpus[model], ""
        reason = self._reasons.get((row.provider, spelling)) or self._reasons.get(("", spelling))
        if reason is None:
            reason = "the name fits several variants and the memory is not stated"
        return None, f"GPU {spelling!r} not mapped: {reason}"


def is_vgpu(spelling: str) -> bool:
    """Whether a spelling names a slice of a card."""
    return "vGPU" in spelling

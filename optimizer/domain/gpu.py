"""What a GPU is: its canonical identity and the figures of its data sheet."""

from pydantic import BaseModel, ConfigDict

from optimizer.domain.units import mib_to_gib

#: What the driver takes away on cards whose reported size is not on record: GDDR cards with ECC keep 93 %.
GDDR_ECC_USABLE_FRACTION = 0.93


class Gpu(BaseModel):
    """One GPU model: canonical id with memory and form factor, figures dense, links in both directions.

    `None` is unknown. Tensor rates are dense TFLOPS; GeForce rates are those with FP32 accumulation.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    model: str
    vendor: str
    architecture: str
    release_year: int | None = None
    memory_gib: float
    memory_reported_mib: float | None = None
    memory_type: str | None = None
    memory_bandwidth_gbyte_per_s: float | None = None
    fp32_tflops: float | None = None
    tf32_tflops: float | None = None
    bf16_tflops: float | None = None
    fp16_tflops: float | None = None
    fp8_tflops: float | None = None
    fp4_tflops: float | None = None
    compute_capability: float | None = None
    nvlink_gbyte_per_s: float | None = None
    pcie_generation: int | None = None
    pcie_lanes: int | None = None
    tdp_watts: float | None = None
    ecc: bool | None = None
    form_factor: str | None = None
    source: str
    observed: str
    notes: str = ""

    @property
    def is_sxm_board(self) -> bool:
        """Whether the GPU sits on a board whose links are part of the board (SXM, OAM, superchip)."""
        form = (self.form_factor or "").upper()
        return any(mark in form for mark in ("SXM", "OAM", "SUPERCHIP", "MODULE"))

    @property
    def usable_memory_gib(self) -> float:
        """Memory as the driver reports it, not as the label says (see AUDIT F15, F36 in docs/catalog.md)."""
        if self.memory_reported_mib is not None:
            return mib_to_gib(self.memory_reported_mib)
        is_gddr = (self.memory_type or "").upper().startswith("GDDR")
        return self.memory_gib * GDDR_ECC_USABLE_FRACTION if is_gddr and self.ecc else self.memory_gib

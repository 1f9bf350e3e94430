"""The user's own run corrects the prediction for its GPU and links."""

from dataclasses import dataclass, replace

from optimizer.domain.fit import Fit, Hardware, Misfit
from optimizer.domain.model import Training
from optimizer.domain.workload import Measured
from optimizer.sizing.hardware import links_of
from optimizer.sizing.search import best_fit


@dataclass(frozen=True, slots=True)
class Calibration:
    """Measured over predicted speed of one GPU model on one class of links; `moved_percent` is (factor - 1) x 100."""

    gpu_model: str
    link_class: str
    factor: float
    moved_percent: float

    def applies_to(self, hardware: Hardware, nodes: int) -> bool:
        """Whether it corrects predictions for this machine."""
        return hardware.gpu_model == self.gpu_model and link_class(hardware, nodes) == self.link_class

    def applied(self, fit: Fit) -> Fit:
        """The corrected prediction; its interval moves along."""
        low, high = fit.interval
        return replace(
            fit,
            tokens_per_second=fit.tokens_per_second * self.factor,
            interval=(low * self.factor, high * self.factor),
            mfu=fit.mfu * self.factor,
            step_seconds={name: seconds / self.factor for name, seconds in fit.step_seconds.items()},
            assumptions=(*fit.assumptions, f"calibrated by the measured run: {self.moved_percent:+.0f} %"),
        )


def link_class(hardware: Hardware, nodes: int) -> str:
    """What carries a run's communication: nothing, the links of the node, or the network between nodes."""
    links = links_of(hardware)
    if nodes > 1:
        return links.network_class
    return links.node_class if hardware.gpus > 1 else "none"


def calibrate(training: Training, measured: Measured, hardware: Hardware) -> Calibration:
    """Measured over predicted tokens per second of the same run on the measured machine.

    `hardware` is the machine of the measured run with `measured.gpus` GPUs in all on `measured.nodes` nodes.

    Raises:
        ValueError: the measured run does not fit that machine in our model, so nothing can be compared.
    """
    fit = best_fit(training, hardware, measured.nodes)
    if isinstance(fit, Misfit):
        raise ValueError(  # noqa: TRY004 - the value is wrong, not its type
            f"measured: the run does not fit {measured.gpus} x {measured.gpu} in the memory model "
            f"({fit.needed_gib} GiB needed, {fit.usable_gib:.1f} GiB usable), so it cannot calibrate"
        )
    factor = measured.tokens_per_second / fit.tokens_per_second
    return Calibration(hardware.gpu_model, link_class(hardware, measured.nodes), factor, (factor - 1) * 100)

"""The user's own run (`measured:`) corrects predictions for its GPU and class of links."""

from dataclasses import replace

from optimizer.catalog import Catalog
from optimizer.domain.model import Training
from optimizer.domain.offer import IntraLink, Machine
from optimizer.domain.workload import Work
from optimizer.planning.inputs import InputChecks
from optimizer.sizing import Calibration, calibrate, hardware_of

#: Links from slow to fast; the measured machine is taken to have the fastest link sold with its GPU and count.
LINKS = (
    None,
    IntraLink.PCIE,
    IntraLink.NVLINK_PAIRS,
    IntraLink.XGMI,
    IntraLink.HCCS,
    IntraLink.NVLINK,
    IntraLink.NVSWITCH,
)


def calibration_of(work: Work, training: Training | None, catalog: Catalog, checks: InputChecks) -> Calibration | None:
    """Measured over predicted speed of the stated run; what cannot be compared is a problem of the file."""
    measured = work.measured
    if measured is None or training is None:
        return None
    model = catalog.find_gpu(measured.gpu)
    if model is None:
        return None
    if measured.gpus % measured.nodes:
        checks.problem("measured.gpus", str(measured.gpus), f"GPUs that divide over {measured.nodes} nodes")
        return None
    per_node = measured.gpus // measured.nodes
    machines = [offer.machine for offer in catalog.offers() if offer.machine.gpu_model == model]
    machines += [server.machine for server in catalog.servers.values() if server.machine.gpu_model == model]
    whole = [machine for machine in machines if machine.gpu_fraction is None and machine.gpu_count >= per_node]
    if not whole:
        checks.problem("measured.gpus", str(per_node), f"at most as many as a machine with {model} has")
        return None
    machine = min(whole, key=lambda one: (one.gpu_count, -LINKS.index(one.intra_link), _order(one)))
    try:
        return calibrate(training, measured, replace(hardware_of(machine, catalog.gpus[model]), gpus=per_node))
    except ValueError as error:
        checks.problem("measured", "a run that cannot be compared", str(error))
        return None


def _order(machine: Machine) -> tuple[float, str]:
    return (-(machine.network_gbit_per_s or 0.0), f"{machine.provider}/{machine.instance_type}")

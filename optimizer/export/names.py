"""How the launch tools call clouds, machines and GPUs. What is not listed here is refused, not guessed.

Sources, read 2026-11-30: the packages skypilot 0.14.1 (sky/skylet/constants.py ALL_CLOUDS; the catalog fetchers;
sky/catalog/gcp_catalog.py), dstack 0.22.5 (core/models/backends/base.py) and gpuhunt 0.1.34
(_internal/constraints.py; the providers' `instance_name`).
"""

from optimizer.errors import InputError, Problem

SKYPILOT = "SkyPilot 0.14.1"
DSTACK = "dstack 0.22.5"

#: Clouds whose instance types SkyPilot calls as the provider does.
SKYPILOT_CLOUDS = {
    "aws": "aws",
    "azure": "azure",
    "gcp": "gcp",
    "lambda": "lambda",
    "nebius": "nebius",
    "oci": "oci",
    "verda": "verda",
}
#: RunPod is asked for by GPU; SkyPilot lists its secure cloud only (fetch_runpod.py).
SKYPILOT_RUNPOD_GPUS = {
    "A100-PCIE-80GB": "A100-80GB",
    "A100-SXM4-80GB": "A100-80GB-SXM",
    "A30": "A30",
    "A40": "A40",
    "B200-SXM-180GB": "B200",
    "H100-PCIE-80GB": "H100",
    "H100-NVL-94GB": "H100-NVL",
    "H100-SXM5-80GB": "H100-SXM",
    "H200-SXM5-141GB": "H200-SXM",
    "L4": "L4",
    "L40": "L40",
    "L40S": "L40S",
    "MI300X": "MI300X",
    "RTX3080": "RTX3080",
    "RTX3080TI": "RTX3080-Ti",
    "RTX3090": "RTX3090",
    "RTX3090TI": "RTX3090-Ti",
    "RTX4090": "RTX4090",
    "RTX5090": "RTX5090",
    "RTX6000ADA": "RTX6000-Ada",
    "RTXA4000": "RTXA4000",
    "RTXA5000": "RTXA5000",
    "RTXA6000": "RTXA6000",
    "V100-SXM2-16GB": "V100-SXM2",
    "V100-SXM2-32GB": "V100-SXM2-32GB",
}
#: Backends of dstack whose `instance_types` are the provider's own names.
DSTACK_BACKENDS = {
    "aws": "aws",
    "azure": "azure",
    "digitalocean": "digitalocean",
    "gcp": "gcp",
    "lambda": "lambda",
    "nebius": "nebius",
    "oci": "oci",
    "verda": "verda",
    "vultr": "vultr",
}
#: Backends of dstack that are asked for by GPU, count and memory.
DSTACK_BY_GPU = {"runpod": "runpod", "vast": "vastai"}
#: GPU names and memory in GB as dstack matches them.
DSTACK_GPUS = {
    "A10": ("A10", 24),
    "A10G": ("A10G", 24),
    "A16": ("A16", 16),
    "A40": ("A40", 48),
    "A100-40GB": ("A100", 40),
    "A100-PCIE-40GB": ("A100", 40),
    "A100-SXM4-40GB": ("A100", 40),
    "A100-80GB": ("A100", 80),
    "A100-PCIE-80GB": ("A100", 80),
    "A100-SXM4-80GB": ("A100", 80),
    "B200-SXM-180GB": ("B200", 180),
    "GB200-186GB": ("GB200", 186),
    "GH200-96GB": ("GH200", 96),
    "H100-80GB": ("H100", 80),
    "H100-PCIE-80GB": ("H100", 80),
    "H100-SXM5-80GB": ("H100", 80),
    "H100-NVL-94GB": ("H100NVL", 94),
    "H200-141GB": ("H200", 141),
    "H200-SXM5-141GB": ("H200", 141),
    "H200-NVL-141GB": ("H200NVL", 141),
    "L4": ("L4", 24),
    "L40": ("L40", 48),
    "L40S": ("L40S", 48),
    "MI300X": ("MI300X", 192),
    "P100-16GB": ("P100", 16),
    "P100-PCIE-16GB": ("P100", 16),
    "RTX2080TI": ("RTX2080Ti", 11),
    "RTX3060": ("RTX3060", 12),
    "RTX3080": ("RTX3080", 10),
    "RTX3080TI": ("RTX3080Ti", 12),
    "RTX3090": ("RTX3090", 24),
    "RTX3090TI": ("RTX3090Ti", 24),
    "RTX4090": ("RTX4090", 24),
    "RTX5090": ("RTX5090", 32),
    "RTX6000ADA": ("RTX6000Ada", 48),
    "RTXA4000": ("A4000", 16),
    "RTXA5000": ("A5000", 24),
    "RTXA6000": ("A6000", 48),
    "T4": ("T4", 16),
    "V100-16GB": ("V100", 16),
    "V100-PCIE-16GB": ("V100", 16),
    "V100-SXM2-16GB": ("V100", 16),
    "V100-32GB": ("V100", 32),
    "V100-PCIE-32GB": ("V100", 32),
    "V100-SXM2-32GB": ("V100", 32),
}
#: Names in the catalog for "all regions" or "not stated": no region of any cloud.
NO_REGION = ("global", "unspecified")


def refused(field: str, found: str, tool: str, what: str) -> InputError:
    """The error for a name that a tool is not known to have."""
    hint = "Terraform variables take any offer."
    return InputError(Problem("plan", field, found, f"{what} whose name in {tool} is known", suggestion=hint))

"""Optional SDKs: imported on use, and a message that names the exact command when one is missing."""

import importlib
from types import ModuleType

from optimizer.errors import MissingLibrary

DISTRIBUTION = "gpu-cost-optimizer"


def load_library(module: str, provider: str, extra: str) -> ModuleType:
    """Import an SDK module.

    Raises:
        MissingLibrary: it is not installed; the message holds the install command.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        command = f"pip install '{DISTRIBUTION}[{extra}]'"
        raise MissingLibrary(f"{provider}: Python package {module!r} is not installed; run: {command}") from error

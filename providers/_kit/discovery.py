"""Finding adapters by file name, importing them only on use."""

import importlib
from pathlib import Path

from optimizer.errors import InputError, Problem
from providers._kit.contract import Provider

_DIRECTORY = Path(__file__).parent.parent


def provider_names() -> tuple[str, ...]:
    """Names of all adapters; a file of a name that Python reserves ends in an underscore (`lambda_.py`)."""
    return tuple(sorted(path.stem.rstrip("_") for path in _DIRECTORY.glob("[!_]*.py")))


def load_provider(name: str) -> Provider:
    """Import one adapter.

    Raises:
        InputError: there is no such adapter; suggests the nearest.
    """
    if name not in provider_names():
        from difflib import get_close_matches

        near = get_close_matches(name, provider_names(), n=1)
        hint = f"Did you mean {near[0]}?" if near else None
        raise InputError(Problem("--provider", "", repr(name), ", ".join(provider_names()), suggestion=hint))
    stem = name if (_DIRECTORY / f"{name}.py").is_file() else f"{name}_"
    provider = importlib.import_module(f"providers.{stem}").PROVIDER
    if not isinstance(provider, Provider):
        raise TypeError(f"providers/{stem}.py: PROVIDER is no Provider")
    return provider

"""The user's refreshed catalog: whole directories that never change once published, and a pointer swapped in one step.

    <root>/CURRENT              the number of the generation that counts
    <root>/generations/<n>/     a catalog directory (index.json, offers/…) and refresh.json
    <root>/history/<n>.parquet  the prices of that refresh
    <root>/LOCK                 held by the refresh that runs

`<root>` is `user_catalog_directory()`.

Killed at any moment, a writer leaves the old generation or the new one, never a mixture: readers follow `CURRENT` only.
See docs/adr/0071-generations.md.
"""

import importlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from optimizer.errors import InputError, Problem

_POINTER, _LOCK, _GENERATIONS, _HISTORY = "CURRENT", "LOCK", "generations", "history"
#: A reader that has just followed the pointer still finds its files: the generation before stays.
_KEPT = 2


def current_number(root: Path) -> int:
    """The number of the published generation, 0 when there is none."""
    try:
        return int((root / _POINTER).read_text(encoding="ascii"))
    except (FileNotFoundError, NotADirectoryError):
        return 0
    except ValueError as error:
        found = "no number"
        raise InputError(Problem(str(root / _POINTER), "", found, "the number of a generation")) from error


def current_directory(root: Path) -> Path | None:
    """The published generation's directory, `None` before the first refresh."""
    number = current_number(root)
    return generation_directory(root, number) if number else None


def generation_directory(root: Path, number: int) -> Path:
    """Where a generation lies."""
    return root / _GENERATIONS / f"{number:06d}"


def history_file(root: Path, number: int) -> Path:
    """Where the prices of one refresh are recorded; a number above the current one was never published."""
    return root / _HISTORY / f"{number:06d}.parquet"


@contextmanager
def sole_writer(root: Path) -> Iterator[None]:
    """Hold the lock; the system releases it when the process ends, however it ends.

    Raises:
        InputError: another refresh holds it, or the folder cannot be written.
    """
    fcntl = _locks(root)
    with disk_errors(root):
        root.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(root / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            problem = Problem(
                str(root / _LOCK), "", "another refresh at work", "one at a time", suggestion="Wait until it has ended."
            )
            raise InputError(problem) from error
        yield
    finally:
        os.close(descriptor)


def _locks(root: Path) -> ModuleType:
    try:
        return importlib.import_module("fcntl")
    except ImportError as error:
        problem = Problem(str(root), "", "a system without file locks", "Linux, macOS or WSL for writing the catalog")
        raise InputError(problem) from error


@contextmanager
def disk_errors(place: Path) -> Iterator[None]:
    """Turn a full disk or a missing right into one message."""
    try:
        yield
    except OSError as error:
        problem = Problem(
            str(error.filename or place), "", error.strerror or str(error), "a folder that can be written"
        )
        raise InputError(problem) from error


@contextmanager
def next_generation(root: Path) -> Iterator[tuple[int, Path]]:
    """A working directory for the next generation; gone afterwards unless it was published.

    Yields its number and the directory.
    """
    number = current_number(root) + 1
    parent = root / _GENERATIONS
    with disk_errors(parent):
        parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(parent)
        work = Path(tempfile.mkdtemp(prefix=".new-", dir=parent))
    try:
        yield number, work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def keep_unchanged(root: Path, work: Path, replaced: set[str]) -> None:
    """Carry the current generation's other providers over, as links to the same files where the disk allows it."""
    current = current_directory(root)
    offers = current / "offers" if current else None
    if offers is None or not offers.is_dir():
        return
    for provider in sorted(entry for entry in offers.iterdir() if entry.name not in replaced):
        shutil.copytree(provider, work / "offers" / provider.name, copy_function=_link_or_copy)


def publish(root: Path, number: int, work: Path) -> Path:
    """Make the working directory the current generation: everything to disk, then the pointer in one step."""
    target = generation_directory(root, number)
    for path in sorted(work.rglob("*"), reverse=True):
        _sync(path)
    _sync(work)
    shutil.rmtree(target, ignore_errors=True)  # left by a refresh that was killed before it moved the pointer
    work.rename(target)
    _sync(target.parent)
    pointer = root / f".{_POINTER}.new"
    pointer.write_text(f"{number}\n", encoding="ascii")
    _sync(pointer)
    pointer.replace(root / _POINTER)
    _sync(root)
    _drop_old(root, number)
    return target


def _drop_old(root: Path, number: int) -> None:
    for directory in (root / _GENERATIONS).iterdir():
        if directory.name.isdigit() and int(directory.name) <= number - _KEPT:
            shutil.rmtree(directory, ignore_errors=True)


def _remove_leftovers(parent: Path) -> None:
    for leftover in parent.glob(".new-*"):
        shutil.rmtree(leftover, ignore_errors=True)


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _sync(path: Path) -> None:
    """Force a file or folder to disk, so that the pointer never goes before what it points to."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

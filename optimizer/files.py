"""Writing files whole or not at all."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from optimizer.errors import InputError, Problem


def write_atomically(path: Path, content: bytes) -> None:
    """Write a whole file or nothing; an existing file is replaced in one step.

    Raises:
        InputError: the folder is missing or not writable, or the disk is full.
    """
    temporary: Path | None = None
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = Path(file.name)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink()
        problem = Problem(str(path), "", error.strerror or str(error), "a file that can be written")
        raise InputError(problem) from error

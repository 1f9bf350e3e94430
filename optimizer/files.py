"""Writing files whole or not at all; reading text as spreadsheets and editors write it."""

import codecs
import errno
import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from optimizer.errors import InputError, Problem

EXPECTED = "a file that can be written"


def check_writable(paths: Iterable[Path | None]) -> None:
    """Refuse outputs whose folder is missing or locked before long work is done for them; all at once.

    Raises:
        InputError: with each such path.
    """
    problems = [
        Problem(str(path), "", os.strerror(code), EXPECTED)
        for path in paths
        if path is not None and (code := _hindrance(path.parent))
    ]
    if problems:
        raise InputError(problems)


def _hindrance(folder: Path) -> int:
    """The error number that writing into a folder would give; 0 for none that can be seen beforehand."""
    if not folder.exists():
        return errno.ENOENT
    if not folder.is_dir():
        return errno.ENOTDIR
    return 0 if os.access(folder, os.W_OK) else errno.EACCES


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
        problem = Problem(str(path), "", error.strerror or str(error), EXPECTED)
        raise InputError(problem) from error


def read_text(path: Path, expected: str) -> str:
    """A text in UTF-8, UTF-16 or GBK; `expected` says what the file should be.

    Raises:
        InputError: the file cannot be read, or its bytes are of no such encoding.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(Problem(str(path), "", error.strerror or "no file", expected)) from error
    has_utf16_mark = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    for encoding in ("utf-16",) if has_utf16_mark else ("utf-8-sig", "gb18030"):
        with suppress(UnicodeDecodeError):
            return content.decode(encoding)
    raise InputError(Problem(str(path), "", "bytes of an unknown encoding", "UTF-8, UTF-16 or GBK text"))

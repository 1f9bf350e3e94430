"""Credentials: found by each ecosystem's own convention, never printed, logged or stored."""

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from optimizer.errors import MissingCredentials

HIDDEN = "***"
#: Shorter values are not replaced in texts: they would hide ordinary words.
_SHORTEST_HIDDEN = 6
#: Variables that hold credentials, also of SDKs that read them by themselves.
_SECRET_NAME = re.compile(r"KEY|SECRET|TOKEN|PASSWORD|CREDENTIAL|_AK$|_SK$|_ID$")


class Secrets:
    """Looks credentials up and remembers their values so that no text leaves with one inside."""

    def __init__(self, environment: Mapping[str, str], home: Path) -> None:
        self._environment = environment
        self._home = home
        self._values: set[str] = set()
        for name, value in environment.items():
            if _SECRET_NAME.search(name):
                self.hide(value)

    def plain(self, name: str, default: str | None = None) -> str | None:
        """An environment variable that is no secret (a region, a project)."""
        return self._environment.get(name) or default

    def find(self, *names: str, files: Iterable[tuple[str, Callable[[str], str | None]]] = ()) -> str | None:
        """The first set variable, else the first file (relative to home) whose reader returns a value."""
        found = next((self._environment[name] for name in names if self._environment.get(name)), None)
        return self.hide(found or self._from_files(files))

    def need(self, provider: str, *names: str, files: Iterable[tuple[str, Callable[[str], str | None]]] = ()) -> str:
        """Like `find`, but required.

        Raises:
            MissingCredentials: names the places that were looked at, never a value.
        """
        files = tuple(files)
        found = self.find(*names, files=files)
        if found is None:
            places = [*names, *(f"~/{path}" for path, _ in files)]
            raise MissingCredentials(f"{provider}: no credentials in {', '.join(places)}; provider skipped")
        return found

    def has_file(self, path: str) -> bool:
        """Whether a credential file exists under the home directory."""
        return (self._home / path).is_file()

    def hide(self, value: str | None) -> str | None:
        """Remember a value as secret and hand it back."""
        if value and len(value) >= _SHORTEST_HIDDEN:
            self._values.add(value)
        return value

    def redact(self, text: str) -> str:
        """The text with every known secret replaced."""
        for value in sorted(self._values, key=len, reverse=True):
            text = text.replace(value, HIDDEN)
        return text

    def log_filter(self) -> logging.Filter:
        """A filter that redacts messages and their arguments."""
        return _RedactingFilter(self)

    def _from_files(self, files: Iterable[tuple[str, Callable[[str], str | None]]]) -> str | None:
        for path, reader in files:
            file = self._home / path
            if file.is_file() and (value := reader(file.read_text(encoding="utf-8", errors="replace"))):
                return value
        return None


class _RedactingFilter(logging.Filter):
    def __init__(self, secrets: Secrets) -> None:
        super().__init__()
        self._secrets = secrets

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = self._secrets.redact(record.getMessage())
        record.args = None
        record.exc_text = None
        record.exc_info = None
        return True


def whole_file(text: str) -> str | None:
    """Reader of a file that holds nothing but the key."""
    return text.strip() or None


def entry(name: str) -> Callable[[str], str | None]:
    """Reader of the first `name = value` or `name: value` line, quotes removed (INI, TOML, YAML alike)."""

    def read(text: str) -> str | None:
        for line in text.splitlines():
            key, separator, value = line.replace(":", "=", 1).partition("=") if "=" not in line else line.partition("=")
            if separator and key.strip().strip("\"'") == name:
                return value.strip().strip("\"'") or None
        return None

    return read

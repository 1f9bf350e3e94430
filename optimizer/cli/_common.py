"""What every command shares: language, output, and the one place where text leaves the program."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from optimizer.domain.text import LANGUAGES

if TYPE_CHECKING:
    from rich.console import Console

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def default_language() -> str:
    """`OPTIMIZE_LANG`, else Chinese where the locale says so, else English."""
    chosen = os.environ.get("OPTIMIZE_LANG", "")
    if chosen in LANGUAGES:
        return chosen
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return "zh" if locale.lower().startswith("zh") else "en"


def output_options(command: Decorated) -> Decorated:
    """`--json`, `--out FILE`, `--lang en|zh`: the options of everything that produces something."""
    for option in (
        click.option("--lang", type=click.Choice(LANGUAGES), default=default_language, help="Language of the output."),
        click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write to FILE instead of stdout."),
        click.option("--json", "as_json", is_flag=True, help="JSON alone on stdout."),
    ):
        command = option(command)
    return command


def emit(text: str, out: Path | None = None) -> None:
    """Print the result, or write it to a file in one step."""
    if out is None:
        click.echo(text)
    else:
        write_atomically(out, (text if text.endswith("\n") else text + "\n").encode())


def emit_words(text: str, out: Path | None = None) -> None:
    """Print sentences, broken at the window's width with their indent kept; a file and a pipe get them whole."""
    width = window_width() if out is None else None
    if width is not None:
        from optimizer.domain.breaking import wrapped

        text = "\n".join(line for paragraph in text.split("\n") for line in wrapped(paragraph, width))
    emit(text, out)


def window_width() -> int | None:
    """The cells of a line of the terminal, or COLUMNS where it is set; None for a pipe or a file."""
    is_given = "COLUMNS" in os.environ
    return console().width if is_given or sys.stdout.isatty() else None


def emit_json(value: Any, out: Path | None = None) -> None:
    """Emit a value as JSON: decimals and dates as text, unknown as null, never NaN."""
    import json

    emit(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False, default=str), out)


def warn(text: str) -> None:
    """One line on stderr."""
    click.echo(text, err=True)


def write_atomically(path: Path, content: bytes) -> None:
    """Write a whole file or nothing; see `optimizer.files.write_atomically`."""
    from optimizer.files import write_atomically as write

    write(path, content)


def console(*, stderr: bool = False) -> "Console":
    """A rich console that keeps colour out of pipes and honours NO_COLOR and COLUMNS.

    A reader that goes away (`| head`) raises BrokenPipeError as everywhere else, instead of exiting with 1.
    """
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Piped(stderr=stderr, highlight=False, soft_wrap=False)


@contextmanager
def progress(text: str) -> Iterator[None]:
    """A spinner on stderr, only where stderr is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    with console(stderr=True).status(text):
        yield

"""Help in Chinese: click's pages with every text told from `_help_words`; a text that is not there stays English."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import click

_USAGE = (("[OPTIONS]", "[选项]"), ("COMMAND", "命令"), ("[ARGS]", "[参数]"))
_HEADINGS = {"Options": "选项", "Commands": "命令"}
#: What click adds to the help of an option: "Days.  [default: 60; x>=0]".
_EXTRAS = (("default: ", "默认："), ("required", "必填"), ("; ", "；"))
#: Between paragraphs stands an empty line, before one that keeps its lines also a mark of its own (`\b`).
_PARAGRAPHS = re.compile(r"\n\n|\n(?=\x08)")
_SHORTENED = "..."


class ChineseHelp(click.HelpFormatter):
    """A page of help whose texts are told in Chinese, broken where Chinese may break, two cells a character."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """The line that says how a command is called; names of arguments stay."""
        for english, chinese in _USAGE:
            args = args.replace(english, chinese)
        super().write_usage(prog, args, "用法：")

    def write_heading(self, heading: str) -> None:
        """The head of a section."""
        self.write(f"{'':>{self.current_indent}}{_HEADINGS.get(heading, heading)}：\n")

    def write_text(self, text: str) -> None:
        """Paragraphs; those marked `\\b` keep their lines."""
        indent = " " * self.current_indent
        told = []
        for paragraph in _PARAGRAPHS.split(text.strip("\n")):
            lines = paragraph.removeprefix("\b").strip("\n").split("\n")
            said = [_told(line) for line in lines] if paragraph[:1] == "\b" else self._broken(" ".join(lines))
            told.append("\n".join(indent + line for line in said))
        self.write("\n\n".join(told) + "\n")

    def _broken(self, text: str) -> list[str]:
        from optimizer.domain.breaking import wrapped

        return wrapped(_told(text), self.width - self.current_indent)

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Options or commands with their help beside them, or below where the name is long."""
        rows = list(rows)
        column = min(max(len(name) for name, _ in rows), col_max) + col_spacing
        blank = " " * (self.current_indent + column)
        for name, text in rows:
            head = " " * self.current_indent + name
            lines = _beside(text, max(self.width - column - self.current_indent, 10))
            if len(name) > column - col_spacing:
                self.write(head + "\n")
                head = ""
            self.write(f"{head:{len(blank)}}{lines[0]}\n")
            self.write("".join(f"{blank}{line}\n" for line in lines[1:]))


def _beside(text: str, width: int) -> list[str]:
    """The lines of an option's help; what click adds to it stays together."""
    from rich.cells import cell_len

    from optimizer.domain.breaking import wrapped

    said, blanks, extra = text.partition("  [")
    lines = wrapped(_told(said), width)
    for english, chinese in _EXTRAS:
        extra = extra.replace(english, chinese)
    if blanks and cell_len(lines[-1] + blanks + extra) <= width:
        lines[-1] += blanks + extra
    elif blanks:
        lines += wrapped("[" + extra, width)
    return lines


def _told(text: str) -> str:
    """A text in Chinese, also where click has cut its end off."""
    from optimizer.cli._help_words import HELP

    if text.endswith(_SHORTENED):
        start = text.removesuffix(_SHORTENED)
        return next((chinese for english, chinese in HELP.items() if english.startswith(start)), text)
    return HELP.get(text, text)


@contextmanager
def help_in(language: str) -> Iterator[None]:
    """Write all help asked for inside in Chinese, or as click does."""
    before = click.Context.formatter_class
    click.Context.formatter_class = ChineseHelp if language == "zh" else before
    try:
        yield
    finally:
        click.Context.formatter_class = before

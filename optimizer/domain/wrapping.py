"""Texts with styles that rich breaks into lines where `optimizer.domain.breaking` does."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.containers import Lines
from rich.measure import Measurement
from rich.text import Text

from optimizer.domain.breaking import breaks, pieces, wrapped

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, JustifyMethod, OverflowMethod


class Styled(Text):
    """A text of one style that rich breaks as `wrapped` does."""

    def wrap(
        self,
        console: "Console",
        width: int,
        *,
        justify: "JustifyMethod | None" = None,
        overflow: "OverflowMethod | None" = None,
        tab_size: int = 8,
        no_wrap: bool | None = None,
    ) -> Lines:
        """The lines, styled and justified."""
        if no_wrap or overflow == "ignore":
            how: dict[str, Any] = {"justify": justify, "overflow": overflow, "tab_size": tab_size, "no_wrap": no_wrap}
            return super().wrap(console, width, **how)
        lines = Lines(self.lines(width))
        if justify:
            lines.justify(console, width, justify=justify, overflow=overflow or "fold")
        return lines

    def lines(self, width: int) -> Iterator[Text]:
        """The text in lines, indent and bullet hanging over the later ones."""
        for line in wrapped(self.plain, width):
            yield Text(line, style=self.style)

    def __rich_measure__(self, console: "Console", options: "ConsoleOptions") -> Measurement:
        """The widest piece that must stay together, and the whole on one line."""
        widest = max((cell_len(piece.rstrip()) for piece in pieces(self.plain)), default=0)
        return Measurement(widest, cell_len(self.plain))


class Flowing(Styled):
    """A text of several styles that rich breaks at the same places; nothing hangs."""

    def lines(self, width: int) -> Iterator[Text]:
        """The text in lines, each part with its style."""
        for line in self.divide(breaks(self.plain, width)):
            line.rstrip()
            yield line

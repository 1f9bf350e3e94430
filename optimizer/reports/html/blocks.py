"""What a page is made of: tables, pictures, cards and sections. Plain text; the template escapes it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Head:
    """A column's label; numbers stand on the right."""

    label: str
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under heads; `total` is a label and the sums under the last columns, where sums make sense."""

    caption: str
    heads: tuple[Head, ...]
    rows: tuple[tuple[str, ...], ...]
    total: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing with its legend (series number and label) and a note under it. `svg` is our own markup."""

    title: str
    svg: str
    note: str = ""
    legend: tuple[tuple[int, str], ...] = ()
    is_numbered: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """One workload among several."""

    title: str
    pairs: tuple[tuple[str, str], ...] = ()
    pictures: tuple[Picture, ...] = ()
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part of the page; empty parts are left out by `kept`."""

    key: str
    title: str
    pictures: tuple[Picture, ...] = ()
    tables: tuple[Table, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    entries: tuple[str, ...] = ()
    cards: tuple[Card, ...] = ()
    note: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether it has nothing to show."""
        return not (self.pictures or any(t.rows for t in self.tables) or self.pairs or self.entries or self.cards)


def kept(sections: Iterable[Section]) -> tuple[Section, ...]:
    """The sections that have something to show."""
    return tuple(section for section in sections if not section.is_empty)


def heads_of(*labels: str, numbers: Sequence[int] = ()) -> tuple[Head, ...]:
    """Heads; `numbers` are the positions of number columns."""
    return tuple(Head(label, position in numbers) for position, label in enumerate(labels))

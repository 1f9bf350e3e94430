"""The lines of `quotes.csv` and their cells: nothing in them is guessed, and every problem gathers with its place."""

import csv
import io
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path

from optimizer.catalog.quote_words import YES_NO, column_of, day_of, term_of, unit_of
from optimizer.catalog.spoken import COUNTRIES
from optimizer.domain.money import currency_meant
from optimizer.errors import InputError, Problem
from optimizer.files import read_text

REQUIRED = ("provider", "region", "instance_type", "term")
OPTIONAL = (
    "price",
    "price_unit",
    "currency",
    "tax_included",
    "valid_from",
    "valid_to",
    "note",
    "discount_percent",
    "gpu_model",
    "gpu_count",
    "vcpus",
    "ram_gib",
    "local_nvme_gb",
    "network_gbit_per_s",
    "rdma",
    "country",
)
#: Columns whose Chinese words stand for a code.
_WORDS: dict[str, Callable[[str], str]] = {"term": term_of, "price_unit": unit_of}
_PLAIN = re.compile(r"^[0-9]+(\.[0-9]+)?$")
_POINT_GROUPS = re.compile(r"^[0-9]{1,3}(\.[0-9]{3})+$")
_GROUPED = re.compile(r"^[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$")
_COUNTRY = re.compile(r"^[A-Z]{2}$")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the file; problems gather in `problems`, an unreadable field gives `None`."""

    file: str
    number: int
    cells: dict[str, str]
    problems: list[Problem]
    delimiter: str = ","

    def __getitem__(self, name: str) -> str:
        return self.cells.get(name, "")

    @property
    def source(self) -> str:
        """Where the line stands: file and number."""
        return f"{self.file}:{self.number}"

    def wrong(self, name: str, expected: str, suggestion: str | None = None, found: str | None = None) -> None:
        shown = found if found is not None else repr(self[name]) if self[name] else "nothing"
        self.problems.append(Problem(self.file, name, shown, expected, self.number, suggestion))

    def positive(self, name: str, *, or_zero: bool = False) -> Decimal | None:
        """A number above zero (or zero where that is meant); text that could be read in two ways is refused."""
        text = self[name]
        if not text:
            return None
        plain = text.replace(",", "") if _GROUPED.match(text) and _is_unambiguous(text) else text
        if self.delimiter == ";" and _POINT_GROUPS.match(text):
            self.wrong(name, "a number that can be read in one way", "Write it with decimals, such as 1234.00.")
            return None
        if not _PLAIN.match(plain):
            self.wrong(name, "a number above zero such as 12948 or 12948.50", _number_hint(text))
            return None
        value = Decimal(plain)
        if value == 0 and not or_zero:
            self.wrong(name, "a number above zero", "Leave out the line when there is no price.")
            return None
        return value

    def day(self, name: str) -> date | None:
        if not self[name]:
            return None
        day = day_of(self[name])
        if day is None:
            self.wrong(name, "a date such as 2026-12-01")
        return day

    def validity(self, as_of: date) -> "Validity":
        """The dates between which the line holds, both counted in."""
        first, last = self.day("valid_from"), self.day("valid_to")
        if first and last and last < first:
            self.wrong("valid_to", f"a day not before {first}")
        return Validity(first, last, as_of)

    def tax(self) -> bool | None:
        """Whether tax is in the price; `None` where the line does not say."""
        if not self["tax_included"]:
            return None
        known = YES_NO.get(self["tax_included"].lower())
        if known is None:
            self.wrong("tax_included", "yes or no, or nothing where it is not known")
        return known

    def currency(self) -> str | None:
        """The currency's code; a price without one is refused."""
        code = self["currency"]
        meant = currency_meant(code)
        if meant is None and re.fullmatch(r"[A-Z]{3}", code):
            return code
        hint = f"Did you mean {meant}?" if meant else "A price without a currency is not a price."
        self.wrong("currency", "an ISO code such as CNY or USD", hint)
        return None

    def country(self) -> str | None:
        """The code of the country; `None` where the line does not say."""
        code = self["country"]
        if not code or _COUNTRY.match(code):
            return code or None
        meant = COUNTRIES.get(code.upper(), code.upper() if _COUNTRY.match(code.upper()) else None)
        self.wrong("country", "an ISO code of two letters such as CN", f"Did you mean {meant}?" if meant else None)
        return None

    def choice(self, name: str, options: Iterable[str]) -> str | None:
        known = tuple(options)
        if self[name] in known:
            return self[name]
        near = get_close_matches(self[name].lower(), known, n=1)
        self.wrong(name, f"one of {', '.join(known)}", f"Did you mean {near[0]}?" if near else None)
        return None


@dataclass(frozen=True, slots=True)
class Validity:
    """Between which days a quote holds (`None` is open), and the day on which it is asked."""

    first: date | None
    last: date | None
    as_of: date

    @property
    def is_valid(self) -> bool:
        """Whether the quote holds on the day."""
        return (self.first is None or self.first <= self.as_of) and (self.last is None or self.as_of <= self.last)


def _is_unambiguous(text: str) -> bool:
    """A single comma before three digits may be a decimal comma: only several groups or a decimal point tell."""
    return text.count(",") > 1 or "." in text


def _number_hint(text: str) -> str | None:
    if "," in text:
        return "Write the number without separators and with a decimal point: a comma can mean two things."
    if re.search(r"[^0-9.\-+eE]", text):
        return "Write the number alone; the currency has its own column."
    return None


def read_lines(path: Path, problems: list[Problem]) -> list[Line]:
    """Every line of the file that is not empty; problems of its form gather in `problems`.

    Raises:
        InputError: no file, no text, or columns that are needed and not there.
    """
    text = read_text(path, "a CSV file of quotes")
    header = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        rows = list(reader)
    except csv.Error as error:
        raise InputError(Problem(str(path), "", str(error), "CSV text", reader.line_num)) from error
    names = [column_of(name) for name in rows[0]] if rows else []
    _check_header(path, names, problems)
    lines = []
    for number, row in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(names):
            hint = "A comma inside a number or a note needs quotation marks around the cell."
            problems.append(Problem(str(path), "", f"{len(row)} cells", f"{len(names)} cells", number, hint))
            continue
        cells = {name: _WORDS.get(name, str)(cell.strip()) for name, cell in zip(names, row, strict=True)}
        lines.append(Line(str(path), number, cells, problems, delimiter))
    return lines


def _check_header(path: Path, names: list[str], problems: list[Problem]) -> None:
    known = (*REQUIRED, *OPTIONAL)
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"The columns are {', '.join(known)}."
            problems.append(Problem(str(path), name, "an unknown column", "a column of quotes.csv", 1, hint))
    problems.extend(
        Problem(str(path), name, "a column that stands twice", "each column once", 1)
        for name in sorted({name for name in names if names.count(name) > 1})
    )
    missing = [name for name in REQUIRED if name not in names]
    if missing or not ({"price", "discount_percent"} & set(names)):
        expected = ", ".join(missing) if missing else "price or discount_percent"
        raise InputError([*problems, Problem(str(path), "header", ", ".join(names) or "nothing", expected, 1)])

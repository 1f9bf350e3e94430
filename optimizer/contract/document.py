"""The specification laid out as headings, paragraphs and tables: what every written form prints alike."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from optimizer.contract import texts
from optimizer.contract.answers import Comparison
from optimizer.contract.spec import ContractSpec, Item, Part, ScheduleRow, Section, Value
from optimizer.contract.tax import WORDS
from optimizer.domain.text import Language, Text

BLANK = "________"
SERIAL_ROWS, PROMISE_ROWS = 8, 5
SHOWN_HASH = 16


@dataclass(frozen=True, slots=True)
class Code:
    """A command: printed as it is typed, after a lead-in."""

    text: str
    lead: str = ""


Cell = str | Code


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 3."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a head; `widths` are relative."""

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    widths: tuple[int, ...]


def is_form(row: tuple[Cell, ...]) -> bool:
    """Whether a row is to be filled by hand and needs room for it."""
    return not any(row[1:])


Block = Heading | Paragraph | Table


@dataclass(frozen=True, slots=True)
class Document:
    """A title, the line of the page header, and the blocks."""

    title: str
    header: str
    language: Language
    blocks: tuple[Block, ...]


def lay_out(spec: ContractSpec, language: Language, comparisons: Sequence[Comparison] = ()) -> Document:
    """The document in one language; with comparisons the deviation table holds the vendors' answers."""
    title = (texts.TITLE if spec.is_signed else texts.TITLE_ORDER).say(language)
    page = _Page(spec, language)
    sha = (spec.catalog_sha256 or "-")[:SHOWN_HASH]
    header = f"{texts.PLAN_ID.say(language)} {spec.plan_id} · {texts.CATALOG.say(language)} {sha}"
    blocks = [*page.front(), *(block for part in spec.parts for block in page.part(part))]
    if spec.is_signed:
        blocks += [*page.common(), *page.deviations(comparisons), *page.annexes(), *page.signatures()]
    return Document(title, header, language, tuple(blocks))


def shown_value(item: Item, language: Language) -> str:
    """The value as a reader sees it: bound, figure, unit, with tax or without; a blank where the vendor fills it."""
    unit = shown_unit(item.unit, language)
    if item.relation == "agree":
        return texts.AS_WRITTEN.say(language)
    if item.value is None:
        return f"{BLANK} {unit}".rstrip()
    bound = {"at_least": "≥ ", "at_most": "≤ "}.get(item.relation, "")
    return with_basis(f"{bound}{plain_value(item.value, language)} {unit}".rstrip(), item.basis, language)


def with_basis(money: str, basis: Text | None, language: Language) -> str:
    """Money with what is said of its tax."""
    if basis is None:
        return money
    return f"{money}（{basis.zh}）" if language == "zh" else f"{money} ({basis.en})"


def plain_value(value: Value, language: Language) -> str:
    """A value without its unit; numbers with separators, money with its own decimals."""
    if value is None:
        return BLANK
    if isinstance(value, Text):
        return value.say(language)
    if isinstance(value, Decimal):
        return f"{value:,f}"
    return f"{value:,.6g}" if value < 1_000_000 else f"{value:,.0f}"


def shown_unit(unit: str, language: Language) -> str:
    """A unit in one language; parts of a rate are named each."""
    return "/".join(texts.UNITS[part].say(language) if part in texts.UNITS else part for part in unit.split("/"))


def status_and_source(item: Item, language: Language) -> str:
    """Status, source and, where there is one, the question to the vendor."""
    colon = "：" if language == "zh" else ": "
    told = f"{texts.STATUSES[item.status].say(language)}{colon}{item.source.say(language)}"
    if item.confirm is None:
        return told
    return f"{told}{'。' if language == 'zh' else '. '}{item.confirm.say(language)}"


@dataclass(frozen=True, slots=True)
class _Page:
    spec: ContractSpec
    language: Language

    def say(self, text: Text, **values: object) -> str:
        return text.say(self.language, **values)

    def head(self, *columns: Text) -> tuple[str, ...]:
        return tuple(column.say(self.language) for column in columns)

    def front(self) -> Iterator[Block]:
        spec = self.spec
        facts = (
            (texts.PLAN_ID, spec.plan_id),
            (texts.CATALOG, spec.catalog_sha256 or self.say(texts.UNKNOWN)),
            (texts.AS_OF, spec.as_of.isoformat()),
        )
        separator = "：" if self.language == "zh" else ": "
        yield Paragraph(" · ".join(f"{self.say(name)}{separator}{value}" for name, value in facts))
        if spec.is_signed:
            yield Paragraph(self.say(texts.LEGEND))
        if any(part.kind == "order" for part in spec.parts):
            yield Paragraph(self.say(texts.LEGEND_ORDER))
        yield Heading(2, self.say(texts.PARTS))
        head = self.head(texts.NUMBER, texts.KIND, texts.PLACE, texts.MACHINE, texts.COUNT, texts.AMOUNT)
        yield Table(head, tuple(map(self._overview, spec.parts)), (2, 4, 5, 5, 3, 5))

    def _overview(self, part: Part) -> tuple[Cell, ...]:
        amount = next((shown_value(item, self.language) for item in part.items if item.id == "rent"), BLANK)
        place = f"{part.provider} / {part.region}" if part.kind != "purchase" else BLANK
        return (part.id, self.say(texts.KINDS[part.kind]), place, part.instance_type, str(part.machines), amount)

    def part(self, part: Part) -> Iterator[Block]:
        kind = self.say(texts.KINDS[part.kind])
        machine = f"{part.provider} {part.instance_type}" if part.kind != "purchase" else part.instance_type
        yield Heading(2, self.say(texts.PART, id=part.id, kind=kind, machines=part.machines, machine=machine))
        for section in part.sections:
            yield from self.section(section, checklist=part.kind == "order")
            if any(item.id == "rent" for item in section.items):
                yield from self.schedule(part)
        yield from self.tests(part)

    def section(self, section: Section, *, checklist: bool = False) -> Iterator[Block]:
        yield Heading(3, f"{section.number} {self.say(section.title)}")
        if checklist:
            head = self.head(texts.NUMBER, texts.REQUIREMENT, texts.VALUE, texts.EVIDENCE, texts.CHECKED)
            yield Table(head, tuple(self._line(item, "□") for item in section.items), (4, 9, 5, 9, 3))
            return
        head = self.head(texts.NUMBER, texts.REQUIREMENT, texts.VALUE, texts.SOURCE, texts.REMEDY)
        rows = tuple(
            self._line(item, " ".join(map(texts.REMEDIES.__getitem__, item.remedies))) for item in section.items
        )
        yield Table(head, rows, (4, 9, 5, 9, 3))

    def _line(self, item: Item, last: str) -> tuple[Cell, ...]:
        separator = "：" if self.language == "zh" else ": "
        return (
            f"{item.number}{' ★' if item.mandatory else ''}",
            f"{self.say(item.title)}{separator}{self.say(item.clause)}",
            shown_value(item, self.language),
            status_and_source(item, self.language),
            last,
        )

    def schedule(self, part: Part) -> Iterator[Block]:
        with_upfront = any(row.upfront for row in part.schedule)
        columns = [texts.TERM, texts.COUNT, texts.QUANTITY, texts.UNIT_PRICE]
        columns += [texts.UPFRONT] if with_upfront else []
        yield Heading(3, self.say(texts.SCHEDULE, id=part.id))
        rows = tuple(self._priced(row, part, with_upfront=with_upfront) for row in part.schedule)
        widths = (3, 2, 3, 4, *((3,) if with_upfront else ()), 4, 3, 3)
        yield Table(self.head(*columns, texts.AMOUNT, texts.FROM, texts.TO), rows, widths)

    def _priced(self, row: ScheduleRow, part: Part, *, with_upfront: bool) -> tuple[Cell, ...]:
        unit, basis = shown_unit(row.unit, self.language), WORDS[row.basis]
        upfront = with_basis(f"{row.upfront:,f} {row.currency}", basis, self.language)
        return (
            self.say(row.term),
            str(row.count),
            f"{row.quantity:,f} {unit}",
            with_basis(f"{row.unit_price:,f} {row.currency}/{unit}", basis, self.language),
            *([upfront] if with_upfront else ()),
            self._amount(row),
            row.start.isoformat(),
            row.end.isoformat() if part.kind != "purchase" else "-",
        )

    def _amount(self, row: ScheduleRow) -> str:
        """The amount with its basis; where tax was put on, how."""
        amount = f"{row.amount:,f} {row.currency}"
        if row.tax_factor != 1:
            amount = f"{row.amount / row.tax_factor:,f} × {row.tax_factor:f} = {amount}"
        return with_basis(amount, WORDS[row.amount_basis], self.language)

    def tests(self, part: Part) -> Iterator[Block]:
        title = texts.TESTS_ORDER if part.kind == "order" else texts.TESTS
        yield Heading(3, self.say(title, id=part.id))
        head = self.head(texts.NUMBER, texts.COMMAND, texts.READS, texts.THRESHOLD, texts.MARGIN)
        yield Table(
            head, tuple(self._test(item) for item in part.items if item.acceptance is not None), (3, 9, 5, 5, 4)
        )

    def _test(self, item: Item) -> tuple[Cell, ...]:
        test = item.acceptance
        if test is None:  # pragma: no cover - asked for lines with a test only
            return ()
        lead = self.say(texts.HOST_REPORT) if test.host_report else ""
        command: Cell = Code(test.command, lead) if test.command else f"{lead}{self.say(texts.NO_COMMAND)}"
        return (
            f"{item.number}{' ★' if item.mandatory else ''}",
            command,
            self.say(test.reads),
            self.say(test.threshold),
            self.say(test.margin),
        )

    def common(self) -> Iterator[Block]:
        yield Heading(2, self.say(texts.COMMON))
        for section in self.spec.common:
            yield from self.section(section)

    def deviations(self, comparisons: Sequence[Comparison]) -> Iterator[Block]:
        yield Heading(2, self.say(texts.DEVIATIONS))
        names = [comparison.vendor for comparison in comparisons] or [""]
        columns = [self.say(texts.NUMBER), self.say(texts.REQUIREMENT)]
        for name in names:
            suffix = f" ({name})" if name else ""
            columns += [f"{self.say(texts.ANSWER)}{suffix}", f"{self.say(texts.DEVIATION)}{suffix}"]
        judged = [{(line.purchase, line.id): line for line in comparison.lines} for comparison in comparisons]
        rows = []
        for purchase, item in self.spec.lines():
            row = [f"{item.number}{' ★' if item.mandatory else ''}", self._required(item)]
            for lines in judged or [{}]:
                line = lines.get((purchase, item.id))
                row += [line.shown_answer, line.shown_deviation(self.language)] if line is not None else ["", ""]
            rows.append(tuple(row))
        yield Table(tuple(columns), tuple(rows), (3, 8, *((5, 4) * len(names))))

    def _required(self, item: Item) -> str:
        if item.relation == "agree":
            return self.say(item.title)
        separator = "：" if self.language == "zh" else ": "
        return f"{self.say(item.title)}{separator}{shown_value(item, self.language)}"

    def annexes(self) -> Iterator[Block]:
        yield Heading(2, self.say(texts.SERIALS))
        empty: tuple[Cell, ...] = ("", "", "")
        yield Table(self.head(texts.SLOT, texts.UUID, texts.SERIAL), (empty,) * SERIAL_ROWS, (3, 8, 5))
        yield Heading(2, self.say(texts.PROMISES))
        rows = tuple((str(number), "", "", "") for number in range(1, PROMISE_ROWS + 1))
        head = self.head(texts.NUMBER, texts.PROMISE, texts.BY_WHOM, texts.CLAUSE)
        yield Table(head, rows, (1, 8, 4, 4))

    def signatures(self) -> Iterator[Block]:
        yield Heading(2, self.say(texts.SIGNATURES))
        signing = [part for part in self.spec.parts if part.kind != "order"]
        vendors = dict.fromkeys("" if part.kind == "purchase" else part.provider for part in signing)
        parties = (self.say(texts.BUYER), *(f"{self.say(texts.VENDOR)} {name}".rstrip() for name in vendors))
        rows = tuple((self.say(label), *("" for _ in parties)) for label in texts.SIGN_ROWS)
        yield Table(("", *parties), rows, (3, *(6 for _ in parties)))

"""From a source's JSON to checked rows: an envelope that changed fails the source, a bad row is rejected alone."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel, to_pascal

from optimizer.domain.offer import Offer, Rejected
from optimizer.errors import SourceChanged
from providers._kit.contract import Outcome, Unreadable


class Wire(BaseModel):
    """Base of the rows as they come over the wire: fields that we do not use are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=True)


class CamelWire(Wire):
    """Rows whose names on the wire are camelCase."""

    model_config = ConfigDict(alias_generator=to_camel)


class PascalWire(Wire):
    """Rows whose names on the wire are PascalCase."""

    model_config = ConfigDict(alias_generator=to_pascal)


Row = TypeVar("Row", bound=Wire)


def read_row(shape: type[Row], raw: Any) -> Row:
    """One row in its documented shape.

    Raises:
        Unreadable: says which field is not as documented.
    """
    try:
        return shape.model_validate(raw)
    except ValidationError as error:
        raise Unreadable(_first_problem(error)) from error


def read_envelope(shape: type[Row], raw: Any, what: str) -> Row:
    """The outer shape of an answer.

    Raises:
        SourceChanged: it is not as documented.
    """
    try:
        return shape.model_validate(raw)
    except ValidationError as error:
        raise SourceChanged(f"{what}: {_first_problem(error)}") from error


def translate(
    provider: str, rows: Iterable[Any], name_of: Callable[[Any], str], to_outcomes: Callable[[Any], Iterable[Outcome]]
) -> Iterator[Outcome]:
    """Translate row by row; an `Unreadable` becomes a rejection that names its row.

    Raises:
        SourceChanged: there were rows, but not one became an offer: the source changed, not the market.
    """
    rejected: list[Rejected] = []
    offers = rows_seen = 0
    for raw in rows:
        rows_seen += 1
        for outcome in _outcomes(provider, raw, name_of, to_outcomes):
            offers += isinstance(outcome, Offer)
            if isinstance(outcome, Rejected):
                rejected.append(outcome)
            yield outcome
    if not rows_seen:
        raise SourceChanged(f"{provider}: the list is empty")
    if not offers and rejected:
        raise SourceChanged(f"{provider}: none of {rows_seen} rows could be read; first: {rejected[0].reason}")


def _outcomes(
    provider: str, raw: Any, name_of: Callable[[Any], str], to_outcomes: Callable[[Any], Iterable[Outcome]]
) -> Iterator[Outcome]:
    try:
        yield from to_outcomes(raw)
    except Unreadable as error:
        yield Rejected(provider=provider, row=name_of(raw), reason=error.reason, quarantined=error.quarantined)


def field_name(*keys: str) -> Callable[[Any], str]:
    """A row's name for rejections: its values under the keys, as far as they are there."""

    def name(raw: Any) -> str:
        values = [str(raw[key]) for key in keys if isinstance(raw, dict) and raw.get(key) is not None]
        return " ".join(values) or "unnamed row"

    return name


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "answer"
    if first["type"] == "missing":
        return f"field {where} is missing"
    return f"field {where}: found {str(first['input'])[:60]!r}, expected: {first['msg'].lower()}"

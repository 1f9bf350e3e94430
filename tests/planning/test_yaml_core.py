"""YAML 1.2 core schema (yaml.org/spec/1.2.2, section 10.3.2), and the traps of YAML 1.1 that design section 2 names."""

import math

import pytest

from optimizer.errors import InputError
from optimizer.planning.yaml_core import parse, resolve_scalar


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2e9", 2e9),
        ("2.0e9", 2e9),
        ("1.", 1.0),
        (".5", 0.5),
        ("-3", -3),
        ("012", 12),
        ("0o14", 12),
        ("0xC", 12),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        (".inf", math.inf),
        ("-.inf", -math.inf),
        # strings in 1.2, something else in 1.1
        ("off", "off"),
        ("no", "no"),
        ("yes", "yes"),
        ("10:00", "10:00"),
        ("1_000", "1_000"),
        ("2026-12-01", "2026-12-01"),
        ("400000CNY", "400000CNY"),
        ("0b1", "0b1"),
        ("=", "="),
    ],
)
def test_plain_scalars_follow_the_core_schema(text: str, value: object) -> None:
    found = resolve_scalar(text)
    assert found == value
    assert type(found) is type(value)


def test_not_a_number_is_a_number() -> None:
    assert math.isnan(resolve_scalar(".nan"))


def test_quoted_scalars_stay_text() -> None:
    assert parse("a: '2e9'\nb: \"off\"\n", "f").data == {"a": "2e9", "b": "off"}


def test_lines_are_those_of_the_file() -> None:
    document = parse("a: 1\nb:\n  - c: 2\n    d: 3\n", "f")
    assert document.line(("b", 0, "d")) == 4
    assert document.line(("b", 0, "missing")) == 3


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a: 1\na: 2\n", "the same field twice"),
        ("a: !!python/object/apply:os.system ['true']\n", "the tag"),
        ("a: !secret x\n", "the tag"),
        ("a: 1\n---\nb: 2\n", "2 documents"),
        ("a: [1, 2\n", "expected ',' or ']'"),
        ("? [1, 2]\n: 3\n", "a key"),
    ],
)
def test_what_is_refused_says_what_and_where(text: str, found: str) -> None:
    with pytest.raises(InputError) as error:
        parse(text, "w.yaml")
    problem = error.value.problems[0]
    assert problem.file == "w.yaml"
    assert problem.line is not None
    assert found in str(problem)


def test_an_alias_bomb_is_refused_before_it_grows() -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(InputError, match="aliases count each time"):
        parse("\n".join(rows), "bomb.yaml")


def test_an_honest_alias_works() -> None:
    assert parse("a: &x {b: 1}\nc: *x\n", "f").data == {"a": {"b": 1}, "c": {"b": 1}}

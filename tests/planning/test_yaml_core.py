"""YAML 1.2 core schema (yaml.org/spec/1.2.2, section 10.3.2), and the traps of YAML 1.1 that design section 2 names."""

import math

import pytest
import yaml

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


@pytest.fixture(autouse=True, params=["libyaml", "pure"])
def _parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both parsers read every file alike: libyaml, and PyYAML's own where libyaml is not there."""
    if request.param == "libyaml" and not yaml.__with_libyaml__:
        pytest.skip("PyYAML was built without libyaml")
    monkeypatch.setattr(yaml, "__with_libyaml__", request.param == "libyaml")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a: 1\na: 2\n", "the same field twice"),
        ("a: !!python/object/apply:os.system ['true']\n", "the tag"),
        ("a: !secret x\n", "the tag"),
        ("a: 1\n---\nb: 2\n", "a second document"),
        ("a: [1, 2\n", "expected ',' or ']'"),
        ("? [1, 2]\n: 3\n", "a key"),
        ("a: !!str 5\n", "the tag tag:yaml.org,2002:str"),
        ("a: ! 5\n", "the tag !"),
        ("b: &b {c: 1}\na:\n  <<: *b\n", "the merge key <<"),
        ("a: *nobody\n", "the alias *nobody"),
        ("a: x\x00y\n", "the character #x0000"),
        # a line break in YAML 1.1, text in 1.2: no editor shows which
        ("a: x\u2028b: 1\n", "the character #x2028"),
        ("a: b: c\n", "mapping values are not allowed"),
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


def test_unclosed_brackets_name_the_line_on_which_they_open() -> None:
    with pytest.raises(InputError) as error:
        parse("a: 1\nb: {c: 2\nd: 3\n", "w.yaml")
    problem = error.value.problems[0]
    assert problem.line == 3
    assert "line 2" in str(problem.suggestion)


@pytest.mark.parametrize("text", ["[" * 50_000, "- " * 50_000, "{a: " * 50_000, "? " * 50_000])
def test_no_depth_exhausts_the_stack(text: str) -> None:
    with pytest.raises(InputError, match="more than 100 levels"):
        parse(text, "deep.yaml")


def test_an_alias_of_itself_is_refused() -> None:
    with pytest.raises(InputError, match="100 levels"):
        parse("a: &x [*x]\n", "f")


def test_scalars_of_the_parser_are_those_of_the_core_schema() -> None:
    text = "off: no\nat: 10:00\nday: 2026-12-01\nbig: 2e9\nurl: http://x:80/\nempty:\ntext: |-\n  1\nmerge: <<\n"
    assert parse(text, "f").data == {
        "off": "no",
        "at": "10:00",
        "day": "2026-12-01",
        "big": 2e9,
        "url": "http://x:80/",
        "empty": None,
        "text": "1",
        "merge": "<<",
    }


def test_an_honest_alias_works() -> None:
    assert parse("a: &x {b: 1}\nc: *x\n", "f").data == {"a": {"b": 1}, "c": {"b": 1}}

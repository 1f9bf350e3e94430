"""`optimize contract`: write the contract specification of a plan, or hold vendors' answers against it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from optimizer.cli._common import emit, emit_json, emit_words, output_options, progress, warn, write_atomically
from optimizer.errors import EXIT_CHECK_FAILED, EXIT_OK, InputError, Problem

if TYPE_CHECKING:
    from optimizer.contract.answers import Comparison
    from optimizer.contract.facts import ContractFacts
    from optimizer.contract.spec import ContractSpec, Kind

FORMATS = ("docx", "md", "json", "pdf")
KINDS = ("rent", "order", "purchase")


@click.command()
@click.argument("plan_file", type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(FORMATS), help="Form of the document; default md.")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="[PURCHASE=]KIND",
    help="rent, order or purchase, for all or for one (P1, or provider/region/type); repeatable.",
)
@click.option("--provider", "providers", multiple=True, help="Only the purchases of this vendor; repeatable.")
@click.option(
    "--answer", "answers", multiple=True, type=click.Path(path_type=Path), help="A vendor's answer; repeatable."
)
@click.option("--deviation", type=click.Path(dir_okay=False, path_type=Path), help="Write the deviation table (xlsx).")
@click.option("--catalog", type=click.Path(path_type=Path), help="Fact tables from DIR instead of the shipped ones.")
@output_options
def command(**given: Any) -> int:
    """Write the contract of a plan; with --answer compare, exit 6 when a ★ line is not met.

    \b
    Examples:
      optimize contract plan.json --format docx --lang zh --out contract.docx
      optimize contract plan.json --answer answer.docx --deviation table.xlsx
    """
    from optimizer.app.contract import contract_of_file

    kinds = _kinds(given["kinds"])
    form = given["form"] or ("json" if given["as_json"] else None)
    if form in ("docx", "pdf") and given["out"] is None:
        raise InputError(Problem("--out", "", "nothing", f"a file name: {form} is not for the screen"))
    with progress("contract"):
        spec, facts = contract_of_file(given["plan_file"], given["catalog"], kinds, given["providers"])
        comparisons = _compare(given["answers"], spec, facts)
    if given["deviation"] is not None:
        from optimizer.contract.deviation import deviation_workbook

        write_atomically(given["deviation"], deviation_workbook(spec, comparisons, given["lang"]))
    _write(spec, comparisons, form, given)
    return EXIT_OK if all(comparison.ok for comparison in comparisons) else EXIT_CHECK_FAILED


def _kinds(given: tuple[str, ...]) -> "dict[str, Kind]":
    """`rent` for all purchases, `P1=rent` for one.

    Raises:
        InputError: no such kind.
    """
    found: dict[str, Any] = {}
    problems = []
    for text in given:
        purchase, _, kind = text.rpartition("=")
        if kind not in KINDS:
            problems.append(Problem("--kind", "", repr(text), f"{', '.join(KINDS)}, or P1=rent"))
        found[purchase or "*"] = kind
    if problems:
        raise InputError(problems)
    return found


def _compare(answers: tuple[Path, ...], spec: "ContractSpec", facts: "ContractFacts") -> "tuple[Comparison, ...]":
    from optimizer.contract.answers import compare, read_answer

    read, problems = [], list[Problem]()
    for path in answers:
        try:
            read.append(read_answer(path, spec))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return tuple(compare(spec, answer, facts.find_gpu) for answer in read)


def _write(
    spec: "ContractSpec", comparisons: "tuple[Comparison, ...]", form: str | None, given: dict[str, Any]
) -> None:
    """JSON, the comparison as text, or the document; a document with answers holds them in its deviation table."""
    from optimizer.contract.document import lay_out
    from optimizer.contract.render_json import comparison_json, contract_json
    from optimizer.contract.tell import tell_comparisons

    language, out = given["lang"], given["out"]
    if form == "json":
        value = comparison_json(spec, comparisons, language) if comparisons else contract_json(spec, language)
        emit_json(value, out)
        return
    if comparisons and form is None:
        emit_words(tell_comparisons(spec, comparisons, language), out)
        return
    _warn_of_vendors(spec, language)
    document = lay_out(spec, language, comparisons)
    if form == "docx":
        from optimizer.contract.render_docx import render_docx

        write_atomically(out, render_docx(document))
    elif form == "pdf":
        from optimizer.contract.render_pdf import render_pdf

        write_atomically(out, render_pdf(document))
    else:
        from optimizer.contract.render_markdown import render_markdown

        emit(render_markdown(document), out)


def _warn_of_vendors(spec: "ContractSpec", language: Any) -> None:
    """A vendor should not read what another asks: say so where a document names several."""
    from optimizer.contract.texts import VENDORS

    vendors = {part.provider for part in spec.parts}
    if len(vendors) > 1:
        warn(VENDORS.say(language, count=len(vendors)))

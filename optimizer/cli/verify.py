"""`optimize verify`: recount a plan file without the solver: dates, hours, packing, prices, sums, memory, rules."""

from pathlib import Path

import click

from optimizer.cli._common import emit_json, emit_words, output_options
from optimizer.domain.text import Language, Text
from optimizer.errors import EXIT_CHECK_FAILED, EXIT_OK

HOLDS = Text("the plan holds: {count} checks made, all agree", "方案成立：共核对 {count} 项，全部一致")
FAILS = Text(
    "the plan does not hold: {failed} of {count} checks fail", "方案不成立：共核对 {count} 项，{failed} 项不符"
)
BOUND = Text(
    "the lower bound {bound} {currency} is the solver's own statement; gap {gap} {currency}",
    "下界 {bound} {currency} 为求解器自述；差距 {gap} {currency}",
)
DIFFERENCE = Text("{id}: expected {expected}, found {found}", "{id}：应为 {expected}，实为 {found}")
EMPTY = Text("the plan says that nothing is feasible; nothing to recount", "方案称无可行解，无可核对")


@click.command()
@click.argument("plan_file", type=click.Path(path_type=Path))
@click.option("--catalog", type=click.Path(path_type=Path), help="Fact tables from DIR instead of the shipped ones.")
@output_options
def command(plan_file: Path, catalog: Path | None, as_json: bool, out: Path | None, lang: Language) -> int:
    """Recount a plan file without the solver; exit 6 when anything differs.

    \b
    Examples:
      optimize verify plan.json
      optimize verify plan.json --json
    """
    from optimizer.app.verify import read_plan, verify_with_catalog
    from optimizer.verify import show

    plan = read_plan(plan_file)
    checks = verify_with_catalog(plan, catalog)
    failed = [check for check in checks if not check.ok]
    if as_json:
        rows = [{"id": c.id, "ok": c.ok, "expected": show(c.expected), "found": show(c.found)} for c in checks]
        emit_json({"ok": not failed, "checks": rows}, out)
    else:
        said = [(check.id, show(check.expected, lang), show(check.found, lang)) for check in failed]
        lines = [DIFFERENCE.say(lang, id=name, expected=expected, found=found) for name, expected, found in said]
        if plan.cost is None:
            lines.append(EMPTY.say(lang))
        else:
            lines.append(BOUND.say(lang, bound=plan.cost.bound, gap=plan.cost.gap, currency=plan.currency))
        lines.append((FAILS if failed else HOLDS).say(lang, count=len(checks), failed=len(failed)))
        emit_words("\n".join(lines), out)
    return EXIT_CHECK_FAILED if failed else EXIT_OK

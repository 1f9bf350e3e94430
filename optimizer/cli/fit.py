"""`optimize fit`: Which GPUs, and how many, a workload fits on; memory by part, speed with its range. No prices."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from optimizer.cli._common import emit_json, emit_words, output_options, progress
from optimizer.domain.text import Language, Text
from optimizer.explain.texts import BREAKS
from optimizer.reports.texts import BOUNDS

if TYPE_CHECKING:
    from optimizer.app.fit import WorkFits
    from optimizer.domain.fit import Fit, Misfit

BAR_CELLS = 24
#: Letters of the memory bar, in the order of the parts.
BAR = (("weights", "W"), ("gradients", "G"), ("optimizer", "O"), ("activations", "A"), ("logits", "L"), ("other", "x"))
BAR_LEGEND = Text(
    "Memory bar: W weights, G gradients, O optimizer, A activations, L logits, x other, . free.",
    "显存条：W 权重，G 梯度，O 优化器，A 激活，L logits，x 其他，. 空闲。",
)
RANGE_LEGEND = Text("The range holds nine of ten measured runs on its low side.", "区间下限由九成实测运行达到。")
TITLE = Text("{name}: {model}, {method}, sequence {sequence}", "{name}：{model}，{method}，序列长度 {sequence}")
HEADS = (
    Text("GPU", "GPU"), Text("GPUs", "卡数"), Text("memory by part", "显存构成"), Text("GiB", "GiB"),
    Text("usable", "可用"), Text("layout", "并行方式"), Text("tokens/s", "token/秒"), Text("range", "区间"),
    Text("MFU", "MFU"), Text("days", "天数"), Text("binds", "瓶颈"),
)  # fmt: skip
NONE_FITS = Text("It fits on none of them.", "以上都放不下。")
NOT_JOINED = Text(
    "Nothing to judge: none of these machines can be joined with others (one node is --nodes 1).",
    "没有可判断的机器：这些机器都无法多台互联（单台请用 --nodes 1）。",
)
DOES_NOT = Text("Does not fit:", "放不下：")
MISFIT = Text(
    "  {gpu} ({usable} GiB): {breaks}; needs {needs}. For {count} one of these would do: {change}",
    "  {gpu}（{usable} GiB）：卡在{breaks}；需 {needs}。用 {count} 时可行的改法：{change}",
)
NO_RATE = Text(
    "  No {precision} rate on record, so no prediction (another precision may have one): {gpus}",
    "  无 {precision} 算力记录，无法预测（换一种精度或许可以）：{gpus}",
)
CALIBRATED = Text(
    "Your measured run moves the predictions for {gpu} by {percent:+.0f} %.",
    "实测使 {gpu} 的预测变动 {percent:+.0f} %。",
)
ASSUMED = Text("Assumed: {notes}", "假设：{notes}")


@click.command()
@click.option("--workload", "path", required=True, type=click.Path(path_type=Path), help="Workload file (YAML).")
@click.option("--gpu", "gpus", multiple=True, help="GPU name or pattern; repeatable. Default: every GPU on sale.")
@click.option("--nodes", "node_counts", multiple=True, type=click.IntRange(1, 512), help="Nodes; repeatable (1).")
@click.option(
    "--confidence", type=click.FloatRange(0.5, 0.99), help="Share of measured runs above the range's low end."
)
@click.option("--set", "overrides", multiple=True, metavar="PATH=VALUE", help="What-if: change one field of the file.")
@click.option("--catalog", "directory", type=click.Path(path_type=Path), help="Use this catalog alone.")
@output_options
def command(as_json: bool, out: Path | None, lang: Language, path: Path, directory: Path | None, **given: Any) -> int:
    """Judge a workload on every GPU type and count that is sold: does it fit, how fast, what binds.

    \b
    Examples:
      optimize fit --workload w.yaml --gpu "A100*" --gpu "H100*"
      optimize fit --workload w.yaml --gpu "H100*" --nodes 1 --nodes 2 --json
    """
    from optimizer.app.fit import fit_workload

    with progress("sizing"):
        answers = fit_workload(
            path,
            gpus=given["gpus"],
            node_counts=given["node_counts"] or (1,),
            confidence=given["confidence"],
            overrides=given["overrides"],
            catalog_directory=directory,
        )
    if as_json:
        found = [answer.to_json(lang) for answer in answers]
        emit_json(found[0] if len(found) == 1 else {"workloads": found}, out)
    else:
        emit_words("\n\n".join(_said(answer, lang) for answer in answers), out)
    return 0


def _said(answer: "WorkFits", lang: Language) -> str:
    from optimizer.cli._tables import Column, render
    from optimizer.reports.phrases import in_chinese

    training = answer.training
    title = TITLE.say(
        lang,
        name=answer.work.name,
        model=training.shape.name,
        method=training.method,
        sequence=training.sequence_length,
    )
    lines = [title, ""]
    if answer.fits:
        numbers = {1, 3, 4, 6, 7, 8, 9}
        ranks = (0, 0, 3, 0, 2, 4, 0, 1, 6, 0, 5)
        columns = [
            Column(head.say(lang), place in numbers, rank)
            for place, (head, rank) in enumerate(zip(HEADS, ranks, strict=True))
        ]
        table = render(columns, [_row(answer, fit, lang) for fit in answer.fits], lang)
        legend = [
            text for head, text in ((HEADS[2], BAR_LEGEND), (HEADS[7], RANGE_LEGEND)) if head.say(lang) in table[0]
        ]
        lines += [*table, "", *(text.say(lang) for text in legend)]
    else:
        lines.append((NONE_FITS if answer.misfits else NOT_JOINED).say(lang))
    if answer.calibration is not None:
        measured = answer.calibration
        lines.append(CALIBRATED.say(lang, gpu=measured.gpu_model, percent=measured.moved_percent))
    if answer.misfits:
        lines += ["", DOES_NOT.say(lang), *_missed(answer, lang)]
    notes = list(dict.fromkeys(note for fit in answer.fits for note in fit.assumptions))
    told = "；".join(map(in_chinese, notes)) if lang == "zh" else "; ".join(notes)
    return "\n".join([*lines, *([ASSUMED.say(lang, notes=told)] if notes else [])])


def _row(answer: "WorkFits", fit: "Fit", lang: Language) -> list[str]:
    hours = answer.hours(fit)
    low, high = (end / fit.tokens_per_second - 1 for end in fit.interval)
    return [
        fit.gpu_model,
        _count(fit),
        bar(fit),
        f"{fit.memory_gib['total']:.1f}",
        f"{fit.usable_gib:.1f}",
        layout_of(fit),
        f"{fit.tokens_per_second:,.0f}",
        f"{low:+.0%} {high:+.0%}",
        f"{fit.mfu:.0%}",
        "-" if hours is None else _days(hours / 24),
        BOUNDS[fit.binds].say(lang),
    ]


def _days(days: float) -> str:
    """Days with one place, or two figures where there would be no more than one."""
    return f"{days:.1f}" if days >= 1 else f"{days:.2g}"


def bar(fit: "Fit") -> str:
    """Memory by part as a bar of fixed width: each part's letters by its share of what is usable."""
    cells, filled = "", 0.0
    for part, letter in BAR:
        filled += fit.memory_gib[part] / fit.usable_gib * BAR_CELLS
        cells += letter * (round(filled) - len(cells))
    return cells[:BAR_CELLS].ljust(BAR_CELLS, ".")


def layout_of(fit: "Fit") -> str:
    """A layout in one word: data, tensor, pipeline and expert splits, ZeRO stage, micro-batch, recomputation."""
    layout = fit.layout
    splits = [f"dp{layout.dp}"] + [
        f"{name}{size}" for name, size in (("tp", layout.tp), ("pp", layout.pp), ("ep", layout.ep)) if size > 1
    ]
    recompute = "" if layout.checkpointing == "none" else f" rc-{layout.checkpointing}"
    offload = " offload" if layout.offload != "none" else ""
    zero = f" z{layout.zero}" if layout.zero else ""
    return f"{'.'.join(splits)}{zero} mb{layout.micro_batch}x{layout.accumulation}{recompute}{offload}"


def _missed(answer: "WorkFits", lang: Language) -> list[str]:
    """One line for each GPU with all its counts; cards without a rate together on the last."""
    by_gpu: dict[str, list[Misfit]] = {}
    for misfit in answer.misfits:
        by_gpu.setdefault(misfit.gpu_model, []).append(misfit)
    unrated = [gpu for gpu, misfits in by_gpu.items() if misfits[0].breaks == "precision"]
    lines = [_missed_counts(misfits, lang) for gpu, misfits in by_gpu.items() if gpu not in unrated]
    if unrated:
        lines.append(NO_RATE.say(lang, precision=answer.training.precision, gpus=", ".join(unrated)))
    return lines


def _missed_counts(misfits: list["Misfit"], lang: Language) -> str:
    most = misfits[-1]
    return MISFIT.say(
        lang,
        gpu=most.gpu_model,
        breaks=BREAKS[most.breaks].say(lang),
        needs=", ".join(f"{_needed(misfit)} (x{_count(misfit)})" for misfit in misfits).replace(" (", " GiB (", 1),
        usable=f"{most.usable_gib:.1f}",
        count=f"x{_count(most)}",
        change=most.smallest_change_zh if lang == "zh" else most.smallest_change_en,
    )


def _needed(misfit: "Misfit") -> str:
    return "?" if misfit.needed_gib is None else f"{misfit.needed_gib:,.1f}"


def _count(answer: "Fit | Misfit") -> str:
    """GPUs of one node, or nodes x GPUs."""
    return str(answer.gpus_per_node) if answer.nodes == 1 else f"{answer.nodes}x{answer.gpus_per_node}"

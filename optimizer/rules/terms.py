"""Group F, what a single machine's terms can be judged by (rules.md F)."""

from optimizer.domain.finding import Severity
from optimizer.domain.text import Text
from optimizer.rules.context import Context
from optimizer.rules.rule import (
    Example,
    Figures,
    Rule,
    Source,
    Value,
    Verdict,
    decided,
    severities,
    unknown,
)

HARD, ADVICE = Severity.HARD, Severity.ADVICE


def _no_shrink(context: Context, figures: Figures) -> Verdict:
    machine = context.machine
    values: dict[str, Value] = {
        "gpu": context.gpu.model,
        "count": machine.gpu_count,
        "share": machine.gpu_fraction or "whole",
    }
    return decided(machine.gpu_fraction is None, values)


def _elasticity(context: Context, figures: Figures) -> Verdict:
    elastic = context.machine.elastic
    if elastic is None:
        return unknown({})
    return decided(elastic, {"found": "elastic" if elastic else "fixed"})


RULES: tuple[Rule, ...] = (
    Rule(
        id="no-shrink",
        group="F",
        scope="contract",
        title=Text(en="Whole physical cards with their full memory", zh="整张物理卡、显存足额"),
        sources=(Source("D1", "显存缩水"),),
        severity=severities(HARD),
        machine_only=True,
        formula="no vGPU, MIG slice or fraction of a card; the contract repeats it and it is tested again",
        check=_no_shrink,
        measured="{count} × {gpu}, share {share}",
        required="whole cards",
        messages={
            "pass": Text(en="{count} whole {gpu}.", zh="{count} 张整卡 {gpu}。"),
            "fail": Text(
                en="Only {share} of a {gpu} is sold: no fraction of a card goes into a training plan.",
                zh="只卖 {gpu} 的 {share}：训练方案不用切分的卡。",
            ),
        },
        confirm=Text(
            en="Ask the provider to state whole physical cards; `nvidia-smi -L` and `nvidia-smi "
            "--query-gpu=memory.total,mig.mode.current --format=csv` prove it, now and each month.",
            zh="请厂商写明为整张物理卡；用 `nvidia-smi -L` 与 `nvidia-smi "
            "--query-gpu=memory.total,mig.mode.current --format=csv` 核实，交付时与每月各一次。",
        ),
        passing=(Example(),),
        failing=(Example(gpu="A10", machine={"gpu_fraction": 0.5}),),
    ),
    Rule(
        id="elasticity",
        group="F",
        scope="contract",
        title=Text(en="Scaling up and down within the term", zh="租期内可扩容、降配"),
        sources=(Source("D1", "是否支持临时扩容、降配"),),
        severity=severities(ADVICE),
        formula="the provider states that the machine can be scaled within the term",
        check=_elasticity,
        measured="{found}",
        required="elastic",
        messages={
            "pass": Text(en="Scaling within the term is offered.", zh="租期内可扩容、降配。"),
            "fail": Text(en="No scaling within the term.", zh="租期内不能扩容、降配。"),
            "unknown": Text(
                en="Whether it scales within the term is not stated; put it in the contract.",
                zh="租期内能否扩容、降配未标明；请写进合同。",
            ),
        },
        confirm=Text(
            en="Ask the provider for the rules of scaling within the term, in writing.",
            zh="请厂商书面写明租期内扩容、降配的规则。",
        ),
        passing=(Example(machine={"elastic": True}),),
        failing=(Example(machine={"elastic": False}),),
    ),
)

"""Sentences about what runs where, shared by every output."""

from datetime import timedelta

from optimizer.domain.finding import VerdictKind
from optimizer.domain.fit import ROOMY_SHARE
from optimizer.domain.offer import Term
from optimizer.domain.plan import Assignment, Layout, Sunk
from optimizer.domain.text import Text
from optimizer.reports import texts
from optimizer.reports.facts import Stretch
from optimizer.reports.numbers import UNKNOWN, clean
from optimizer.reports.voice import Voice


def nodes(voice: Voice, used: Assignment) -> str:
    """Machines of one assignment with their GPUs."""
    text = texts.NODE_PART if used.gpus_used_per_node < used.gpus_per_node else texts.NODE_WHOLE
    return voice.say(
        text,
        nodes=used.nodes,
        name=clean(used.instance_type),
        gpus=used.gpus_per_node,
        used=used.gpus_used_per_node,
        gpu=clean(used.gpu_model),
    )


def layout(voice: Voice, found: Layout | None) -> str:
    """How the model is spread, in the field's words."""
    if found is None:
        return voice.say(texts.NO_LAYOUT)
    ways = (
        (texts.TENSOR_PARALLEL, found.tp),
        (texts.PIPELINE_PARALLEL, found.pp),
        (texts.EXPERT_PARALLEL, found.ep),
        (texts.DATA_PARALLEL, found.dp),
    )
    parts = [voice.say(text, ways=number) for text, number in ways if number > 1] or [voice.say(texts.SINGLE_GPU)]
    if found.zero:
        parts.insert(0, f"ZeRO-{found.zero}")
    parts.append(voice.say(texts.MICRO_BATCH, size=found.micro_batch, steps=found.accumulation))
    parts.append(voice.name(texts.CHECKPOINTING, found.checkpointing))
    if found.offload != "none":
        parts.append(voice.say(texts.OFFLOADED))
    if found.sequence_parallel:
        parts.append(voice.say(texts.SEQUENCE_PARALLEL))
    return voice.join(parts)


def memory(voice: Voice, used: Assignment) -> str:
    """Memory used of memory there, per GPU, and of the host."""
    numbers = voice.numbers
    total = used.memory_gib_per_gpu.get("total")
    if total is None:
        return voice.say(texts.MEMORY_UNKNOWN, usable=numbers.gib(used.usable_gib))
    said = voice.say(
        texts.USED_OF,
        used=numbers.gib(total),
        usable=numbers.gib(used.usable_gib),
        percent=numbers.percent(total / used.usable_gib),
    )
    host = used.host_memory_gib
    is_tight = total > used.usable_gib * ROOMY_SHARE
    return voice.sentence(
        [
            said,
            voice.say(texts.TIGHT, spread=numbers.percent(1 - ROOMY_SHARE)) if is_tight else "",
            voice.say(texts.HOST_USED, used=numbers.gib(host)) if host else "",
        ]
    )


def speed(voice: Voice, used: Assignment) -> str:
    """Tokens a second with their range, what bounds them and the share of the peak."""
    numbers = voice.numbers
    if used.tokens_per_second is None:
        return voice.say(texts.HOURS_GIVEN)
    said = numbers.rate(used.tokens_per_second)
    if used.interval is not None:
        low, high = used.interval
        said = voice.say(
            texts.SPEED_RANGE,
            rate=said,
            low=numbers.rate(low).split(" ")[0],
            high=numbers.rate(high).split(" ")[0],
            spread=spread(voice, used.tokens_per_second, low, high),
        )
    bound = voice.say(texts.BOUND_BY, what=voice.name(texts.BOUNDS, used.binds)) if used.binds else ""
    share = voice.say(texts.MFU, percent=numbers.percent(used.mfu)) if used.mfu is not None else ""
    return voice.sentence([said, bound, share])


def spread(voice: Voice, middle: float, low: float, high: float) -> str:
    """A range in percent: "±12%" where both sides agree when rounded, else "-10% to +15%"."""
    below, above = voice.numbers.percent(1 - low / middle), voice.numbers.percent(high / middle - 1)
    return f"±{above}" if below == above else f"−{below} / +{above}"


def duration(voice: Voice, stretch: Stretch) -> str:
    """Hours of work, hours a day, days, start and last day; a repeated job tells one repetition and how many."""
    used, numbers = stretch.assignment, voice.numbers
    is_repeated = stretch.repetitions > 1
    if not is_repeated and (stretch.to - used.from_).days == 1:
        hours, start = numbers.hours(stretch.run_hours), numbers.day(used.from_)
        return voice.sentence([voice.say(texts.RUN_ONE_DAY, hours=hours, start=start), _clock(voice, used, texts.FROM)])
    said = voice.say(
        texts.REPEATED if is_repeated else texts.RUN_TIME,
        count=stretch.repetitions,
        hours=numbers.hours(used.run_hours if is_repeated else stretch.run_hours),
        per_day=_hours_a_day(voice, stretch),
        days=numbers.days(((used.to if is_repeated else stretch.to) - used.from_).days),
        start=numbers.day(used.from_),
        finish=numbers.day(stretch.to - timedelta(days=1)),
    )
    return voice.sentence([said, _clock(voice, used, texts.STARTS_AT)])


def _clock(voice: Voice, used: Assignment, text: Text) -> str:
    """From which hour it works, "" where that is midnight."""
    return voice.say(text, clock=f"{used.start_hour:02d}:00") if used.start_hour else ""


def _hours_a_day(voice: Voice, stretch: Stretch) -> str:
    """Hours a day, as a range where months differ."""
    fewest, most = (voice.numbers.hours(hours) for hours in stretch.hours_per_day)
    return most if fewest == most else voice.say(texts.BETWEEN, low=fewest, high=most)


def served(voice: Voice, used: Assignment) -> str:
    """How many nodes are served by which term, at most at once."""
    peak: dict[str, int] = {}
    for service in used.served_by:
        peak[service.term] = max(peak.get(service.term, 0), service.nodes)
    taken = {**texts.TAKEN, Term.OWNED: texts.ON_OWNED}
    said = [
        voice.say(texts.NODES_ON, nodes=voice.numbers.count(count, "node"), taken=voice.name(taken, term))
        for term, count in peak.items()
    ]
    return voice.sentence([voice.join(said), voice.say(texts.ON_SPOT) if used.spot else ""])


def rules(voice: Voice, used: Assignment) -> str:
    """How many rules are met, not met but allowed, and unknown; and what a conditional assignment stands on."""
    kinds = [finding.verdict for finding in used.rules]
    counted = (
        (texts.RULES_MET, "passed", VerdictKind.PASS),
        (texts.RULES_ALLOWED, "failed", VerdictKind.FAIL),
        (texts.RULES_UNKNOWN, "unknown", VerdictKind.UNKNOWN),
    )
    said = [voice.say(text, **{name: kinds.count(kind)}) for text, name, kind in counted if kinds.count(kind)]
    unmet = voice.join(clean(finding.id) for finding in used.rules if finding.is_conditional)
    stands = voice.say(texts.STANDS_ON, rules=unmet) if used.conditional else ""
    return voice.sentence([voice.join(said), stands])


def rows(voice: Voice, stretch: Stretch) -> list[tuple[str, str]]:
    """All that is said of one workload on its machines: label and statement."""
    used = stretch.assignment
    place = clean(f"{used.provider} {used.region}".strip())
    said = (
        (texts.ON, voice.join([nodes(voice, used), place])),
        (texts.LAYOUT, layout(voice, used.layout)),
        (texts.MEMORY, memory(voice, used)),
        (texts.SPEED, speed(voice, used)),
        (texts.TIME, duration(voice, stretch)),
        (texts.PAID_BY, served(voice, used)),
        (texts.RULES, rules(voice, used)),
    )
    return [(voice.say(label), statement) for label, statement in said]


def sunk_name(voice: Voice, paid: Sunk) -> str:
    """What is there already by its own name; a rent, which has none, by its machine and term."""
    if paid.name != f"{paid.pool} {paid.term.value}":
        return clean(paid.name)
    return clean(paid.pool) + voice.aside(voice.name(texts.TERMS, paid.term))


def sunk(voice: Voice) -> list[str]:
    """What is paid already and how far the plan uses it."""
    said = []
    for paid in voice.plan.sunk:
        days = max(0, paid.to_day - paid.from_day) * paid.count
        share = voice.numbers.percent(paid.used_unit_days / days) if days else UNKNOWN
        is_named = paid.name != f"{paid.pool} {paid.term.value}"
        what = voice.join([voice.name(texts.TERMS, paid.term), clean(paid.pool)])
        name = clean(paid.name) + voice.aside(what) if is_named else sunk_name(voice, paid)
        said.append(voice.say(texts.SUNK_IS, count=paid.count, name=name, share=share))
    return said

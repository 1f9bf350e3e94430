"""Fixed phrases of a plan file are Chinese on a Chinese screen; names stay as they are written."""

import re
from pathlib import Path

import pytest

from optimizer.planning import build
from optimizer.reports.phrases import in_chinese
from tests.cases.support import plan
from tests.reports.test_terminal import screen

#: Four English words in a row are a sentence, not a name.
ENGLISH = re.compile(r"[a-z]{2,}(?: [a-z]{2,}){3,}")
PLANNING = Path(build.__file__).parent


@pytest.mark.parametrize(
    "text",
    [
        build.NO_GPU,
        build.FRACTION,
        build.NO_PRICE,
        build.TOO_OLD.format(days=60),
        "no exchange rate for XYZ",
        "chat: countries CN, US",
        "chat: providers aws",
        "chat: regions cn-*",
        "chat: does not fit in memory",
        "chat: rule ram-total",
        "chat: too slow for its days or hours",
        "nothing can run chat",
        "chat: the measured run moves predictions on A100 (nvswitch) by -12 %",
        "chat: storage on aws/x/y",
        "chat: cold storage on aws/x/y",
        "chat: egress on aws/x/y",
        "hot: Network volume, first 1 TB",
        "cold: S3 Standard",
        "shared data set corpus: EBS gp3",
        "internet egress",
        "idle",
        "no 80 GB data-center GPU by the hour fits",
    ],
)
def test_fixed_phrases_are_translated(text: str) -> None:
    told = in_chinese(text)
    assert re.search("[\u4e00-\u9fff]", told)
    assert not ENGLISH.search(told)


def test_names_and_figures_stay() -> None:
    assert in_chinese("hot: Network volume, first 1 TB") == "热数据：Network volume, first 1 TB"
    assert in_chinese("chat: rule ram-total") == "chat：规则 ram-total"
    assert in_chinese("chat: the measured run moves predictions on A100 by +7 %") == "chat：实测使 A100 的预测变动 +7%"
    assert in_chinese("something else") == "something else"


def test_every_filter_of_the_planner_is_known() -> None:
    """Each `log.keep`, `log.note` and `Removal` of the source has its phrase here."""
    sources = "".join(path.read_text(encoding="utf-8") for path in PLANNING.glob("*.py"))
    templates = set(re.findall(r'f"(\{name\}: [^"]+)"', sources)) - {"{name}: {cause}"}
    assert len(templates) >= 6
    for template in templates:
        example = re.sub(r"\{[^}]*\}", "chat", template)
        assert in_chinese(example) != example, template


def test_no_english_sentence_is_left_on_the_screens_of_real_plans() -> None:
    work = "currency: CNY\nmodel: {preset: llama-2-7b}\nmethod: lora\ntokens: 2e8\nsequence_length: 1024\n"
    rented = plan(work + "dataset_gb: 50\ncold_storage_gb: 10\n", "runpod/*", extras=True)
    nothing = plan(work + "dataset_gb: 50\nbudget: 1\ncountries: [US, CN]\n", "runpod/*", "matpool/*", extras=True)
    assert nothing.status == "infeasible"
    for found in (rented, nothing):
        assert english_of(screen(found, "zh", 400)) == []


def english_of(shown: str) -> list[str]:
    """English sentences, but for commands, sources and what is between backquotes."""
    lines = [re.sub(r"`[^`]*`", "", line) for line in shown.splitlines() if "eurofxref" not in line]
    return [found.group() for line in lines for found in ENGLISH.finditer(line)]

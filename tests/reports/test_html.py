"""The HTML report as a document: well formed, escaped, alone, named, and true to the plan."""

import json
import re
from datetime import date
from decimal import Decimal
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from optimizer.domain.plan import Baseline, Plan, QuotaUse
from optimizer.domain.text import Language
from optimizer.reports import html
from optimizer.reports.html import render_html
from optimizer.reports.html.page import page_of
from optimizer.reports.voice import voice_of
from tests.reports import factory

VOID = {"meta", "link", "br", "hr", "img", "input", "path", "use"}
MOST_BYTES = 6_000_000
STYLE = (Path(html.__file__).parent / "report.css").read_text(encoding="utf-8")


class Document(HTMLParser):
    """Reads a page, failing on tags that do not nest."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.words.append(data)

    @property
    def text(self) -> str:
        """All words, on one line."""
        return re.sub(r"\s+", " ", " ".join(self.words))

    def named(self, tag: str) -> list[dict[str, str | None]]:
        """Attributes of all elements of one name."""
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def pages() -> dict[tuple[str, str], str]:
    """Every plan's page in both languages, made once."""
    made = {}
    for name, make in factory.ALL.items():
        for language in ("en", "zh"):
            surface = factory.breakeven() if name == "fleet" else None
            made[name, language] = render_html(make(), language, breakeven=surface)  # type: ignore[arg-type]
    return made


@pytest.fixture(params=[(name, language) for name in sorted(factory.ALL) for language in ("en", "zh")], ids="-".join)
def page(request: pytest.FixtureRequest, pages: dict[tuple[str, str], str]) -> str:
    """One page in turn."""
    return pages[request.param]


def test_page_nests_and_stays_small(page: str) -> None:
    assert page.startswith("<!doctype html>")
    Document(page)
    assert len(page.encode()) <= MOST_BYTES


def test_page_asks_the_network_for_nothing(page: str) -> None:
    document = Document(page)
    names = {name for name, _ in document.tags}
    assert not names & {"script", "link", "iframe", "img", "object", "embed", "form", "base", "audio", "video"}
    for _, attributes in document.tags:
        for attribute in ("src", "href", "srcset", "data", "poster", "action"):
            target = attributes.get(attribute)
            assert target is None or target.startswith("#")
        assert not any(name.startswith("on") for name in attributes)
    assert "url(" not in re.sub(r"url\(#", "", page)
    assert "@import" not in page
    assert "default-src 'none'" in page


def test_ids_are_unique_and_links_lead_somewhere(page: str) -> None:
    document = Document(page)
    ids = [attributes["id"] for _, attributes in document.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in document.tags:
        target = attributes.get("href")
        assert target is None or target[1:] in ids
    assert all(found in ids for found in re.findall(r"url\(#([^)]+)\)", page))


def test_every_drawing_has_a_title_and_a_description(page: str) -> None:
    document = Document(page)
    ids = {attributes.get("id") for _, attributes in document.tags}
    for drawing in document.named("svg"):
        assert drawing["role"] == "img"
        labels = (drawing["aria-labelledby"] or "").split()
        assert len(labels) == 2
        assert set(labels) <= ids
    assert len(re.findall(r"<title id=", page)) == len(re.findall(r"<desc id=", page)) == len(document.named("svg"))


def test_headings_and_tables_are_readable_by_a_screen_reader(page: str) -> None:
    document = Document(page)
    assert len(document.named("h1")) == 1
    levels = [int(name[1]) for name, _ in document.tags if name in ("h1", "h2", "h3")]
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert len(document.named("caption")) == len(document.named("table"))
    assert all("scope" in head for head in document.named("th"))
    regions = [attributes for _, attributes in document.tags if attributes.get("tabindex") == "0"]
    assert all(region.get("aria-label") for region in regions)
    assert document.named("html")[0]["lang"] in ("en", "zh-CN")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_texts_from_outside_stay_texts(pages: dict[tuple[str, str], str], language: Language) -> None:
    page = pages["conditional", language]
    assert "<script" not in page
    assert "<b>" not in page
    assert "<i>" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    document = Document(page)
    assert factory.NASTY in document.text  # shown as it is
    assert "&lt;script&gt;" in page


def test_drawings_escape_names_too() -> None:
    plan = factory.rented()
    evil = plan.assignments[0].model_copy(update={"workload": "</svg><script>x</script>"})
    page = render_html(plan.model_copy(update={"assignments": (evil,)}), "en")
    assert "<script" not in page
    Document(page)


def test_page_says_what_the_plan_says(pages: dict[tuple[str, str], str]) -> None:
    text = Document(pages["rented", "en"]).text
    for said in (
        "Rent 2 × alibaba ecs.gn7i-c8g1.2xlarge by the month: 28,201.91 CNY",
        "2 × ecs.gn7i-c8g1.2xlarge × 3 months × 4,675.66 CNY",
        "28,053.96",
        "ram-total 2× (D1): 18% dearer (4,301.99 CNY) than ram-total 1.5× (D0)",
        "memory bandwidth 600 GB/s is below 1.5 TB/s",
        "9f2c4e61b0a7",
        "no term: by the hour only",
    ):
        assert said in text


def test_chinese_page_is_chinese(pages: dict[tuple[str, str], str]) -> None:
    text = Document(pages["rented", "zh"]).text
    assert "租用 2 × alibaba ecs.gn7i-c8g1.2xlarge（包月）：共 28,201.91 CNY" in text
    assert "Locks and cash" not in text


def test_infeasible_page_has_ways_out_first(pages: dict[tuple[str, str], str]) -> None:
    text = Document(pages["infeasible", "en"]).text
    assert text.index("nvlink as a warning instead of a hard rule") < text.index("vram-floor-full (hard)")
    assert "0.00" not in text.replace("40,000.00", "").replace("61,250.00", "")  # an unknown cost is no zero


def test_break_even_map_marks_the_documents_point(pages: dict[tuple[str, str], str]) -> None:
    page = pages["fleet", "en"]
    text = Document(page).text
    assert "14 days at 10 h a day" in text
    assert "14 d × 10 h: on demand" in text  # 140 h lie below 288.2 h
    assert "30 d × 10 h: month" in text  # 300 h lie above
    assert re.search(r"on demand\s+month\s+10 h\s+28.8", text)


def test_what_changes_the_answer_first_stands_in_the_decision() -> None:
    lines: dict[str, Any] = {"lines": [{"en": "Fuel first", "zh": "先是油价"}, {"en": "Then rain", "zh": "再是雨"}]}
    page = page_of(voice_of(factory.rented(), "zh"), "", None, lines)
    assert [said for said, _ in page.decision if said in ("先是油价", "再是雨")] == ["先是油价"]


def test_sensitivity_lines_are_shown_where_they_are_given() -> None:
    lines: dict[str, Any] = {"lines": [{"en": "10% slower: 2 × more", "zh": "慢 10%：多 2 台"}]}
    assert "10% slower: 2 × more" in Document(render_html(factory.rented(), "en", sensitivity=lines)).text
    assert "慢 10%：多 2 台" in Document(render_html(factory.rented(), "zh", sensitivity=lines)).text


def test_same_plan_same_page() -> None:
    assert render_html(factory.job(), "en") == render_html(factory.job(), "en")


def test_accrued_months_add_up_to_the_total(any_plan: Plan) -> None:
    from optimizer.reports.facts import Facts

    if any_plan.cost is not None:
        spread = sum(sum(months) for months in Facts(any_plan).accrued.values())
        assert spread == pytest.approx(float(any_plan.cost.total), abs=1e-6)


def _themes() -> list[dict[str, str]]:
    """Colours of the light, dark and print themes."""
    return [
        dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block)) for block in re.findall(r":root \{(.*?)\}", STYLE, re.S)
    ]


def _contrast(one: str, other: str) -> float:
    """Contrast ratio by WCAG 2.1, section 1.4.3 (relative luminance of sRGB)."""

    def luminance(colour: str) -> float:
        parts = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def test_there_are_three_themes() -> None:
    assert len(_themes()) == 3


@pytest.mark.parametrize("theme", _themes(), ids=["light", "dark", "print"])
def test_text_and_charts_have_contrast(theme: dict[str, str]) -> None:
    for name in ("ink", "quiet", "link", "good", "caution", "bad"):
        assert _contrast(theme[name], theme["paper"]) >= 4.5, name  # WCAG 1.4.3, level AA
        assert _contrast(theme[name], theme["panel"]) >= 4.5, name
    for number in range(1, 9):
        assert _contrast(theme[f"s{number}"], theme["paper"]) >= 3, number  # WCAG 1.4.11, graphics


def test_a_saving_that_rounds_to_nothing_is_no_saving() -> None:
    plan = factory.rented()
    assert plan.cost is not None
    same = Baseline(description="1 × x", cost=plan.cost.total, saving=Decimal(0), saving_fraction=0.0)
    page = render_html(plan.model_copy(update={"baseline": same}), "en")
    assert "−0.00" not in page
    assert "The same cost as the naive plan" in page


def test_bare_metal_has_a_name_on_the_heat_map() -> None:
    surface = factory.breakeven()
    text = json.dumps(surface).replace('"on_demand"', '"bare_metal"')
    assert "裸金属（包期）" in render_html(factory.rented(), "zh", json.loads(text))


def test_neighbouring_crossings_at_the_same_hours_are_one_row() -> None:
    surface = factory.breakeven()
    crossing = {"from": "on_demand", "to": "month"}
    surface["crossings"] = [
        *({**crossing, "hours_per_day": 21.2, "days": days} for days in (1, 2, 62)),
        {**crossing, "hours_per_day": 17.2, "days": 731},
    ]
    page = render_html(factory.rented(), "en", surface)
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", page[page.index("Where one term overtakes another") :])
    assert cells[:8] == ["on demand", "month", "21.2 h", "1–62", "on demand", "month", "17.2 h", "731"]


def test_the_cash_chart_names_a_budget_only_where_there_is_one() -> None:
    assert "Dashed: budget." in render_html(factory.rented(), "en")
    inputs = {name: value for name, value in factory.rented().inputs.items() if name != "budget"}
    assert "Dashed: budget." not in render_html(factory.rented().model_copy(update={"inputs": inputs}), "en")


@pytest.mark.parametrize(
    ("quota", "english", "chinese"),
    [
        (
            {"provider": "alibaba", "term": "any", "max_gpus": 8},
            "provider alibaba: at most 8 GPUs",
            "供应商 alibaba：至多 8 块 GPU",
        ),
        (
            {"provider": "*", "gpu": "H20*", "term": "hourly", "max_nodes": 1},
            "GPU H20*, by the hour: at most 1 node",
            "GPU 型号 H20*、按量：至多 1 个节点",
        ),
        (
            {"provider": "*", "region": "*", "term": "any", "max_gpus": 0},
            "everything: at most 0 GPUs",
            "全部：至多 0 块 GPU",
        ),
    ],
)
def test_a_quota_is_told_in_words(quota: dict[str, object], english: str, chinese: str) -> None:
    plan = factory.rented().model_copy(update={"quotas": (QuotaUse(quota=quota, peak=2),)})
    assert english in render_html(plan, "en")
    assert chinese in render_html(plan, "zh")


def test_months_that_begin_within_a_month_are_named_by_their_day() -> None:
    plan = factory.rented()
    assert "2026-12 9,402.28" in render_html(plan, "en")
    shifted = tuple(
        month.model_copy(update={"start": date(2027, 1 + number, 28)}) for number, month in enumerate(plan.cash_flow)
    )
    assert "2027-01-28 9,402.28" in render_html(plan.model_copy(update={"cash_flow": shifted}), "en")


def test_notes_speak_the_page_s_language() -> None:
    plan = factory.rented().model_copy(update={"notes": ("nothing can run w",)})
    assert "nothing can run w" in render_html(plan, "en")
    assert "没有机器能运行 w" in render_html(plan, "zh")

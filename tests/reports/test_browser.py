"""The report in a real browser (Debian's Chromium through Playwright): no request, no error, no sideways scroll.

`.ci/run` installs chromium; without it these tests are skipped.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from optimizer.reports.html import render_html
from tests.reports import factory

CHROMIUM = shutil.which("chromium")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for the module."""
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The richest report as a file, with names that try to break out."""
    plan = factory.fleet()
    evil = plan.assignments[1].model_copy(update={"workload": factory.NASTY, "team": "</style><img src=x>"})
    plan = plan.model_copy(update={"assignments": (plan.assignments[0], evil, *plan.assignments[2:])})
    path = tmp_path_factory.mktemp("report") / "plan.html"
    path.write_text(render_html(plan, "zh", breakeven=factory.breakeven()), encoding="utf-8")
    return path


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_page_is_alone_quiet_and_fits(browser: Any, report: Path, width: int, scheme: str) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    requests, complaints = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append("dialog"))
    page.goto(report.as_uri())
    assert requests == [report.as_uri()]
    assert complaints == []
    scrolled = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert scrolled == 0
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 28)"}[scheme]
    assert page.locator("main svg").count() == 6  # cost, cash, three workloads' memory, break-even
    page.close()


def test_keyboard_theme_and_print(browser: Any, report: Path) -> None:
    page = browser.new_page(color_scheme="dark")
    page.goto(report.as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#decision"
    assert page.locator("nav a").count() == page.locator("main section h2").count()
    label = page.locator("main svg text").first  # a chart's text takes the page's colour
    assert label.evaluate("node => getComputedStyle(node).fill") == "rgb(232, 234, 237)"
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("nav").is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.close()

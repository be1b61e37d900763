"""Everybody can read it: axe finds nothing serious on any page, light and dark, wide and narrow."""

import json
import os

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.publishing.test_language import PAGES, ZCDP, rehearsed
from tests.thorough import THOROUGH

EVERY = 1 if os.environ.get("HMPB_SLOW") == "1" else 2
"""Every page where there is time, else every second one."""
LOOKS = [
    ("dark", 390),
    pytest.param("light", 1440, marks=THOROUGH),
    pytest.param("dark", 1440, marks=THOROUGH),
    pytest.param("light", 390, marks=THOROUGH),
]


def serious(page):
    """Serious and critical findings, in short."""
    found = Axe().run(page).response["violations"]
    return [
        f"{v['id']} ({v['impact']}): {[n['html'][:160] for n in v['nodes'][:2]]}"
        for v in found
        if v["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_no_page_has_a_serious_finding(open_page, visit, theme, width):
    from pages.shared.page_list import PAGES

    page = open_page(theme=theme, width=width, height=1400)
    visit(page, "run")
    page.locator(".st-key-rehearse button").first.click()
    expect(page.locator(".st-key-download_bundle button").first).to_be_visible()
    names = [name for entries in PAGES.values() for name, _ in entries]
    faults = {}
    for name in names[::EVERY]:
        visit(page, name)
        if name == "networks":
            page.frame_locator("iframe").first.locator("body[data-settled]").wait_for()
        if found := serious(page):
            faults[name] = found
    assert not faults, "\n".join(f"{name}: {fault}" for name, found in faults.items() for fault in found)


def test_the_utility_report_has_no_serious_finding(chromium, tmp_path):
    from hmpb_core.cli import main
    from pages.session.demo import demo_schema, demo_table

    table = demo_table().head(600)
    table.head(300).to_csv(tmp_path / "real.csv", index=False)
    table.tail(300).to_csv(tmp_path / "drawn.csv", index=False)
    (tmp_path / "book.json").write_text(json.dumps(demo_schema()), encoding="utf-8")
    words = ["report", *(str(tmp_path / name) for name in ("real.csv", "drawn.csv")), "--fast", "--seed", "1"]
    assert main([*words, "--codebook", str(tmp_path / "book.json"), "-o", str(tmp_path / "r.html")]) == 0
    page = chromium.new_page(viewport={"width": 390, "height": 1000}, color_scheme="dark")
    page.goto((tmp_path / "r.html").as_uri())
    assert not serious(page)
    page.close()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_pages_of_a_bundle_are_no_wider_than_a_phone(chromium, tmp_path, language):
    """The statement's fields have long names without a blank, and made it twice as wide."""
    files = rehearsed(language, ZCDP)
    page = chromium.new_page(viewport={"width": 390, "height": 1000})
    for name in PAGES:
        (tmp_path / name).write_bytes(files[name])
        page.goto((tmp_path / name).as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == 390, name
    page.close()


def test_the_page_says_which_language_it_is_in(open_page, visit, in_chinese):
    """A screen reader chooses its voice by it, and the browser the shapes of Chinese signs."""
    page = open_page()
    html = page.locator("html")
    expect(html).to_have_attribute("lang", "en")
    in_chinese(page)
    expect(html).to_have_attribute("lang", "zh-CN")
    visit(page, "plan")
    expect(html).to_have_attribute("lang", "zh-CN")
    written = page.get_by_test_id("stFileUploaderDropzone").locator("button p").first
    assert written.evaluate(
        "p => [getComputedStyle(p).fontSize, getComputedStyle(p, '::after').content]"
    ) == [
        "0px",
        '"上传"',
    ]
    page.reload()
    expect(html).to_have_attribute("lang", "zh-CN")  # what was chosen outlives a reload, as the table does


def test_a_browser_that_asks_for_chinese_gets_it(chromium, server):
    context = chromium.new_context(locale="zh-CN")
    page = context.new_page()
    page.goto(server)
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    expect(page.get_by_role("heading", name="数据", exact=True)).to_be_visible()
    context.close()


@pytest.mark.parametrize(("theme", "colour"), [("light", "rgb(0, 0, 0)"), ("dark", "rgb(255, 255, 255)")])
def test_the_link_that_the_keyboard_is_on_has_an_outline(open_page, theme, colour):
    page = open_page(theme=theme)
    link = page.locator("[data-testid=stSidebar] a").first
    link.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(link).to_be_focused()
    outline = "a => (s => [s.outlineStyle, s.outlineWidth, s.outlineColor])(getComputedStyle(a))"
    assert link.evaluate(outline) == ["solid", "2px", colour]


def test_the_keyboard_goes_to_no_link_of_a_sidebar_that_is_closed(open_page):
    page = open_page(width=390)
    page.evaluate("document.activeElement.blur()")
    seen = []
    for _ in range(4):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.getBoundingClientRect().right"))
    assert all(right > 0 for right in seen), "all lie in the window"
    page.get_by_test_id("stExpandSidebarButton").press("Enter")
    expect(page.locator("[data-testid=stSidebar] a").first).to_be_visible()

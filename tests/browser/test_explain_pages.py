"""Explain, the tour, Utility, Compare and Ledger in Chromium."""

import re

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from pages.shared.palette import DARK, LIGHT
from tests.thorough import THOROUGH


def choose(page, key, label):
    page.locator(f".st-key-{key}").get_by_text(label, exact=True).click()


def no_serious_finding(page):
    """Nothing in the page itself; test_access.py looks at the frame around it as well."""
    page.mouse.move(2, 2)
    found = Axe().run(page, context={"include": [["[data-testid='stMain']"]]}).response["violations"]
    assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == []


def downloaded(page, key):
    with page.expect_download() as waiting:
        page.locator(f".st-key-{key} button").click()
    return waiting.value.suggested_filename, waiting.value.path().read_bytes()


def test_explain_serves_three_readers_in_two_languages(open_page, visit, settle):
    page = open_page(theme="dark", height=1600)
    visit(page, "explain")
    for edition, charts in (("An analyst", 2), ("A decision maker", 4), ("Somebody in the table", 1)):
        choose(page, "explain_edition", edition)
        settle(page)
        expect(page.get_by_test_id("stPlotlyChart")).to_have_count(charts)
        if edition == "An analyst":
            expect(page.get_by_text("Diamonds: an attack measured on")).to_be_visible()
        no_serious_finding(page)
    words_follow_the_keyboard(page, settle)
    settle(page)
    name, content = downloaded(page, "explain_html")
    assert name == "privacy-person.html"
    assert b"<script" not in content
    handout_in_chinese(page, settle)


@THOROUGH
def test_figures_follow_a_theme_that_changes_while_the_page_is_open(open_page, visit, settle):
    page = open_page(theme="light")
    visit(page, "explain")
    letters = page.locator("[data-testid='stPlotlyChart'] text").first
    for theme, colours in (("dark", DARK), ("light", LIGHT)):
        page.emulate_media(color_scheme=theme)
        red, green, blue = (int(colours.text[place : place + 2], 16) for place in (1, 3, 5))
        expect(letters).to_have_css("fill", f"rgb({red}, {green}, {blue})")
        settle(page)
        no_serious_finding(page)


def words_follow_the_keyboard(page, settle):
    choose(page, "explain_follow", "Other numbers")
    settle(page)
    choose(page, "explain_currency", "pure epsilon")
    settle(page)
    slider = page.locator(".st-key-explain_epsilon").get_by_role("slider")
    slider.focus()
    slider.press("ArrowRight")
    expect(page.get_by_text("at most 3.32 times as likely")).to_be_visible()  # e^1.2
    slider.press("ArrowRight")
    expect(page.get_by_text("at most 4.48 times as likely")).to_be_visible()  # e^1.5


def handout_in_chinese(page, settle):
    speak_chinese(page, settle)
    expect(page.locator(".st-key-explain_edition").get_by_role("radio", checked=True)).to_have_count(1)
    expect(page.get_by_text("的 4.48 倍")).to_be_visible()
    name, content = downloaded(page, "explain_pdf")
    assert name == "privacy-person.pdf"
    assert content.startswith(b"%PDF")
    assert b"STSong-Light" in content


@THOROUGH
def test_nothing_sticks_out_of_a_narrow_screen(open_page, visit, settle):
    page = open_page(width=390, height=1600)
    visit(page, "explain")
    for edition in ("A decision maker", "An analyst"):
        choose(page, "explain_edition", edition)
        settle(page)
        main = page.get_by_test_id("stMain")
        assert main.evaluate("main => main.scrollWidth - main.clientWidth") <= 0


def speak_chinese(page, settle):
    page.locator(".st-key-language").get_by_role("combobox").click()
    page.get_by_role("option", name="中文").click()
    settle(page)


@THOROUGH
def test_the_tour_goes_from_table_to_ledger_in_chinese(open_page, visit, settle):
    """Ten stops, on the demo, with the rehearsal and the comparison that it asks for."""
    page = open_page(height=1300)
    speak_chinese(page, settle)
    visit(page, "tour")
    page.locator(".st-key-tour_start button").click()
    for stop in range(1, 11):
        expect(page.get_by_text(re.compile(f"导览第 {stop} 站，共 10 站"))).to_be_visible()
        settle(page)
        if stop == 4:
            page.locator(".st-key-rehearse button").click()
            expect(page.locator(".st-key-download_bundle button")).to_be_visible()
        if stop == 8:
            page.locator(".st-key-utility_go button").click()
            expect(page.get_by_test_id("stPlotlyChart")).to_have_count(6)
            settle(page)
            no_serious_finding(page)
        if stop == 9:
            _, bundle = downloaded(page, "download_bundle")
            assert bundle.startswith(b"PK")
        page.locator(f".st-key-tour_{'next' if stop < 10 else 'finish'} button").click()
    expect(page.get_by_text("继续")).to_be_visible()


@THOROUGH
def test_a_comparison_runs_in_the_background(open_page, visit, settle):
    page = open_page()
    visit(page, "compare")
    for name, value in (("rows", "500"), ("repeats", "1")):
        field = page.locator(f".st-key-compare_{name} input")
        field.fill(value)
        field.press("Enter")
        settle(page)
    choose(page, "compare_kind", "Clusters: error against k")
    settle(page)
    page.locator(".st-key-compare_go button").click()
    expect(page.locator(".st-key-job_cancel button")).to_be_visible()
    expect(page.get_by_test_id("stPlotlyChart")).to_have_count(1)
    settle(page)
    no_serious_finding(page)

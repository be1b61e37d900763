"""Data in Chromium: a file of German Excel described by keyboard alone, a reload, other browsers, widths."""

import time

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PATIENCE
from tests.browser.test_access import serious
from tests.sources.test_drafting import GERMAN_EXCEL
from tests.thorough import THOROUGH

ACTIVE = """() => { const e = document.activeElement;
    return (e.getAttribute('aria-label') || e.innerText || '').trim(); }"""

SLOW_TIMERS = """() => { const soon = window.setTimeout;
    window.setTimeout = (act, after, ...rest) => soon(act, after === 200 ? 600 : after, ...rest); }"""
"""A busy browser: what a card that opens does to the focus, it does while the steward types in it."""


def upload(page, settle, content=GERMAN_EXCEL, name="Patienten.csv"):
    page.get_by_role("tab", name="Upload").click()
    page.locator('[class*="st-key-upload_"] input[type=file]').set_input_files(
        {"name": name, "mimeType": "text/csv", "buffer": content}
    )
    expect(page.get_by_text("Left to do: 3.")).to_be_visible()
    settle(page)


def tab_to(page, name):
    """Press Tab until what is named has the focus, round the page again while a slow server draws it.

    Between two keys what the page asks for passes the gate: without a pause its buttons would never arrive.
    """
    late = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < late:
        page.keyboard.press("Tab")
        page.wait_for_timeout(10)
        if page.evaluate(ACTIVE).split("\n")[-1].startswith(name):
            return
    pytest.fail(f"{name!r} cannot be reached by keyboard")


def type_into(page, name, text, settle):
    tab_to(page, name)
    page.keyboard.press("Control+A")
    page.keyboard.type(text, delay=60)
    page.keyboard.press("Tab")
    settle(page)


def press(page, name, settle, key="Enter"):
    tab_to(page, name)
    page.keyboard.press(key)
    settle(page)


def test_a_file_of_german_excel_is_described_by_keyboard_and_outlives_a_reload(open_page, settle):
    page = open_page()
    page.evaluate(SLOW_TIMERS)
    upload(page, settle)
    expect(page.get_by_text("Windows-1252")).to_be_visible()
    press(page, "Größe", settle)
    tab_to(page, "Type")
    page.keyboard.type("number")
    page.keyboard.press("Enter")
    settle(page)
    type_into(page, "Minimum", "0,5", settle)
    type_into(page, "Maximum", "2,5", settle)
    press(page, "Next: aufgenommen", settle)
    press(page, "Publish", settle, key="Space")
    press(page, "Next: Raucher", settle)
    type_into(page, "Values", "ja, nein", settle)
    expect(page.get_by_text("The table fits its codebook: 5 attributes")).to_be_visible()
    press(page, "Next: make a plan", settle)
    expect(page.get_by_role("heading", name="Plan", exact=True)).to_be_visible()

    page.reload()
    settle(page)
    expect(page.get_by_text("Private table Patienten.csv")).to_be_visible()
    expect(page.get_by_role("heading", name="Plan", exact=True)).to_be_visible()
    stranger = open_page()
    expect(stranger.get_by_text("Patienten.csv")).to_have_count(0)
    beside = page.context.new_page()
    beside.goto(page.url)
    settle(beside)
    expect(beside.get_by_text("Patienten.csv")).to_have_count(0)  # the first window still has it
    (cookie,) = (c for c in page.context.cookies() if c["name"].startswith("hmpb_visitor"))
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"
    assert "hmpb_visitor" not in page.evaluate("document.cookie")


@pytest.mark.parametrize(("theme", "width"), [("dark", 390), pytest.param("light", 1440, marks=THOROUGH)])
def test_an_open_card_can_be_used_at_any_width(open_page, settle, theme, width):
    page = open_page(theme=theme, width=width)
    upload(page, settle)
    page.get_by_role("button", name="Guess what is open").locator("visible=true").first.click()
    expect(page.get_by_text("Fields nobody has declared yet: 4")).to_be_visible()
    page.get_by_role("button", name="Größe", exact=True).first.click()
    page.get_by_role("button", name="Choose all shown").locator("visible=true").first.click()
    page.mouse.move(0, 0)  # a tooltip that fades in or out has no contrast of its own
    settle(page)
    page.wait_for_timeout(500)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = page.locator(".st-key-chosen").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert serious(page) == []


@THOROUGH
def test_values_typed_just_before_another_page_is_clicked_are_kept(open_page, settle, visit):
    page = open_page()
    content = b"one,two,three\n" + b"x,y,z\ny,z,x\n" * 30
    page.get_by_role("tab", name="Upload").click()
    page.locator('[class*="st-key-upload_"] input[type=file]').set_input_files(
        {"name": "t.csv", "mimeType": "text/csv", "buffer": content}
    )
    expect(page.get_by_text("Left to do: 3.")).to_be_visible()
    settle(page)
    for place, values in enumerate(("x, y", "y, z")):
        page.locator(f".st-key-open_{place} button").click()
        settle(page)
        # the card of this column, not the one it takes the place of
        page.locator(f".st-key-column_{place}").get_by_label("Values", exact=True).fill(values)
        # Streamlit may send the click first and then the box, with the page that was left: it comes back
        page.locator(".st-key-nav_prepare a").nth(2).click(delay=0)
        page.wait_for_timeout(1000)
        settle(page)
        visit(page, "data")
        expect(page.get_by_label("Values", exact=True)).to_have_value(values.replace(", ", "\n"))
        page.locator(f".st-key-open_{place} button").click()  # what another press sends changes nothing
        settle(page)
        row = page.locator(f".st-key-column_{place}")
        expect(row.get_by_text("done")).to_be_visible()
        expect(row).to_contain_text(f"2 values: {values}")


HOLD = """(() => {
  const send = WebSocket.prototype.send
  let held = null
  WebSocket.prototype.send = function (data) { held ? held.push([this, data]) : send.call(this, data) }
  window.hold = () => { held = [] }
  window.release = () => {
    const all = held.sort((a, b) => b[1].byteLength - a[1].byteLength)
    held = null
    all.forEach(([socket, data]) => send.call(socket, data))
  }
})()"""


def test_values_that_arrive_in_one_moment_with_the_click_on_another_page_are_kept(open_page, settle, visit):
    page = open_page()
    page.add_init_script(HOLD)
    page.reload()
    settle(page)
    page.get_by_role("tab", name="Upload").click()
    page.locator('[class*="st-key-upload_"] input[type=file]').set_input_files(
        {"name": "t.csv", "mimeType": "text/csv", "buffer": b"one,two,three\n" + b"x,y,z\ny,z,x\n" * 30}
    )
    expect(page.get_by_text("Left to do: 3.")).to_be_visible()
    settle(page)
    page.locator(".st-key-open_0 button").click()
    settle(page)
    box = page.locator(".st-key-column_0").get_by_label("Values", exact=True)
    box.wait_for()
    page.evaluate("window.hold()")  # what a slow machine sends late: first all the boxes, then the click
    box.fill("x, y")
    page.locator(".st-key-nav_prepare a").nth(2).click(delay=0)
    page.wait_for_timeout(500)
    page.evaluate("window.release()")
    page.wait_for_timeout(500)
    settle(page)
    visit(page, "data")
    expect(page.get_by_label("Values", exact=True)).to_have_value("x\ny")


def test_what_has_the_focus_keeps_it_where_a_warning_appears_above(open_page, settle):
    page = open_page()
    press(page, "smoker", settle)
    tab_to(page, "Type")
    page.keyboard.type("whole")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Left to do: 1.")).to_be_visible()
    settle(page)
    assert page.evaluate(ACTIVE) == "Type"
    press(page, "Choose all", settle)
    press(page, "Choose none", settle)
    page.wait_for_timeout(400)
    assert page.evaluate(ACTIVE).split("\n")[-1] == "Choose all shown"


def test_what_is_half_said_stays_when_the_language_changes_and_the_focus_after_an_upload(
    open_page, settle, in_chinese
):
    page = open_page()
    page.get_by_role("tab", name="Upload").click()
    page.locator('[class*="st-key-upload_"] button').first.focus()
    page.locator('[class*="st-key-upload_"] input[type=file]').set_input_files(
        {"name": "Patienten.csv", "mimeType": "text/csv", "buffer": GERMAN_EXCEL}
    )
    expect(page.locator(".st-key-fold_reading summary")).to_be_focused()
    page.get_by_text("Buy what is open").click()
    neighbors = page.locator(".st-key-register_neighbors")
    neighbors.get_by_text("One has one row more").click()
    cap = page.locator(".st-key-register_cap input")
    cap.fill("2")
    cap.press("Tab")
    settle(page)
    in_chinese(page)
    expect(neighbors.get_by_role("radio").nth(1)).to_be_checked()
    expect(cap).to_have_value("2.00")

"""The steward's whole way, in Chromium: upload, codebook, plan, rehearsal, pictures, release, bundle."""

import io
import json
import re
import subprocess
import time
import zipfile

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import CHROMIUM, PATIENCE
from tests.thorough import THOROUGH

CATEGORIES = {
    "sex": ["f", "m"],
    "smokes": ["no", "yes"],
    "school": ["none", "some", "full"],
    "region": ["north", "south", "east", "west"],
}


@pytest.fixture(scope="module")
def people():
    """A table whose columns hang together."""
    rng = np.random.default_rng(8)
    n = 4000
    school = rng.integers(0, 3, n)
    columns = {
        "sex": rng.integers(0, 2, n),
        "smokes": (rng.random(n) < 0.15 + 0.25 * (school == 0)).astype(int),
        "school": school,
        "region": rng.integers(0, 4, n),
    }
    frame = pd.DataFrame({name: np.array(CATEGORIES[name])[codes] for name, codes in columns.items()})
    frame["age"] = np.clip(rng.normal(45 - 6 * school, 12, n).round(), 18, 90).astype(int)
    return frame


@pytest.fixture(scope="module")
def codebook():
    fields = [{"name": n, "categories": c, "constraints": {"required": True}} for n, c in CATEGORIES.items()]
    age = {"minimum": 18, "maximum": 90, "required": True}
    fields.append({"name": "age", "type": "integer", "constraints": age, "bins": 8, "declared": False})
    return {"fields": fields}


def upload(page, where, name, content, mime):
    page.locator(f'[class*="st-key-{where}"] input[type=file]').set_input_files(
        {"name": name, "mimeType": mime, "buffer": content}
    )


def downloaded(page, key):
    with page.expect_download() as waiting:
        page.locator(f".st-key-{key} button").first.click()
    return waiting.value.suggested_filename, waiting.value.path().read_bytes()


def rehearse(page):
    page.locator(".st-key-rehearse button").first.click()
    expect(page.locator(".st-key-download_bundle button").first).to_be_visible()


def load(page, settle, name, frame, codebook):
    """Upload a table and its codebook."""
    page.get_by_role("tab", name="Upload").click()
    upload(page, "upload_", f"{name}.csv", frame.to_csv(index=False).encode(), "text/csv")
    expect(page.get_by_text("Nothing usable is said yet").first).to_be_visible()
    settle(page)
    page.get_by_text("Use a codebook you have").click()
    upload(page, "schema_", "codebook.json", json.dumps(codebook).encode(), "application/json")


def release(page, settle):
    """Register the table, and say the word that starts its release."""
    page.get_by_role("tab", name=re.compile("Release")).click()
    page.locator(".st-key-register_unit").get_by_text("One row is one person").click()
    cap = page.locator(".st-key-register_cap input")
    cap.fill("3")
    cap.press("Tab")
    page.get_by_role("button", name="Register the data set").click()
    expect(page.get_by_text("Registered as")).to_be_visible()
    page.locator(".st-key-release_check button").first.click()
    expect(page.get_by_text("This cannot be undone")).to_be_visible()
    word = page.locator(".st-key-commit_word input")
    word.fill("release")
    word.press("Enter")
    settle(page)
    page.locator(".st-key-commit_go button").first.click()


def test_from_upload_to_release_and_back(open_page, visit, settle, people, codebook):
    page = open_page()
    load(page, settle, "people", people, codebook)
    expect(page.get_by_text("Fields nobody has declared yet: 1")).to_be_visible()
    page.get_by_role("button", name="age", exact=True).first.click()
    page.get_by_role("textbox", name="Which one").fill("Register form 7")
    page.get_by_role("button", name="Declare it").click()
    expect(page.get_by_text("The table fits its codebook: 5 attributes")).to_be_visible()
    expect(page.get_by_text("Fields nobody has declared yet")).to_have_count(0)

    visit(page, "plan")
    slider = page.locator(".st-key-w_epsilon").get_by_role("slider")
    slider.focus()
    slider.press("ArrowRight")
    slider.press("ArrowRight")
    settle(page)
    # without a further click: the sidebar is drawn before the page
    expect(page.get_by_test_id("stSidebar").get_by_text("epsilon 1.5,")).to_be_visible()
    expect(page.get_by_text("are made for 50,000 rows")).to_be_visible()
    share = page.locator('[class*="st-key-share_conditional"]').get_by_role("slider")
    followed = share.input_value()
    rows = page.locator(".st-key-w_declared_rows input")
    rows.fill(str(len(people)))
    rows.press("Enter")
    expect(page.get_by_text("are made for 50,000 rows")).to_have_count(0)
    settle(page)
    assert int(share.input_value()) < int(followed), "fewer rows: more for their counts"
    expect(page.get_by_text("It costs what it says").first).to_be_visible()
    name, plan = downloaded(page, "plan_save")
    assert name == "plan.toml"
    assert b"epsilon = 1.5" in plan

    visit(page, "run")
    rehearse(page)
    name, rows = downloaded(page, "download_data")
    assert name == "rehearsal-data.csv"
    assert list(pd.read_csv(io.BytesIO(rows)).columns) == [*people.columns, "hmpb_rehearsal"]

    visit(page, "similarity")
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    visit(page, "networks")
    frame = page.frame_locator("iframe").first
    frame.locator("body[data-settled]").wait_for()
    with page.expect_download() as picture:
        frame.locator("#png").click()
    assert picture.value.path().read_bytes().startswith(b"\x89PNG")
    name, graph = downloaded(page, "graphml")
    assert b"<graphml" in graph
    name, drawing = downloaded(page, "svg")
    assert drawing.startswith(b"<svg")
    visit(page, "weights")
    expect(page.locator(".js-plotly-plot").first).to_be_visible()

    visit(page, "run")
    release(page, settle)
    expect(page.get_by_text("charged so far, all together: 1.5")).to_be_visible()  # told with the result
    expect(page.get_by_text("These files are watermarked")).to_have_count(0)
    settle(page)
    name, bundle = downloaded(page, "download_bundle")
    assert not name.startswith("rehearsal")
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        released = pd.read_csv(io.BytesIO(archive.read("data.csv")))
        assert not [n for n in archive.namelist() if "rehearsal" in n]
    assert list(released.columns) == list(people.columns)
    assert len(released) == len(people)
    assert set(released["school"]) <= set(CATEGORIES["school"])

    again = open_page()
    visit(again, "run")
    again.get_by_role("tab", name=re.compile("Release")).click()
    expect(again.get_by_text("Download the bundle")).to_be_visible()


def test_one_click_opens_each_tab_of_run(open_page, visit, settle):
    """Two clicks were needed: the first gave the tabs another default, and so made them anew."""
    page = open_page()
    visit(page, "run")
    for name in ("Release", "Rehearse", "Release", "Rehearse"):
        page.get_by_role("tab", name=re.compile(name)).click()
        settle(page)
        expect(page.get_by_role("tab", name=re.compile(name))).to_have_attribute("aria-selected", "true")
        expect(page.locator(".st-key-rehearse")).to_have_count(int(name == "Rehearse"))


@pytest.fixture
def mortal(chromium, server, tmp_path):
    """A page in a browser of its own, and the browser's process."""
    options = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
    options += ["--no-first-run", "--remote-debugging-port=0", f"--user-data-dir={tmp_path}", "about:blank"]
    process = subprocess.Popen([CHROMIUM, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    told = tmp_path / "DevToolsActivePort"
    until = time.monotonic() + 30
    while not (told.exists() and told.read_text()) and time.monotonic() < until:
        time.sleep(0.1)
    port = told.read_text().split()[0]
    browser = chromium.browser_type.connect_over_cdp(f"http://127.0.0.1:{port}", timeout=2 * PATIENCE)
    page = browser.new_page(viewport={"width": 1440, "height": 1000})
    page.goto(server)
    yield page, process
    process.kill()
    process.wait(20)


@pytest.fixture
def wide(people, codebook):
    """A table whose release takes a while, with its codebook."""
    parts = [people.add_suffix(f"_{i}").sample(frac=1, random_state=i) for i in range(5)]
    fields = [entry | {"name": f"{entry['name']}_{i}"} for i in range(5) for entry in codebook["fields"]]
    frame = pd.concat([part.reset_index(drop=True) for part in parts], axis=1)
    return frame, {"fields": [{k: v for k, v in entry.items() if k != "declared"} for entry in fields]}


@THOROUGH
def test_a_release_is_there_after_its_browser_was_killed(open_page, visit, settle, mortal, wide):
    page, process = mortal
    frame, described = wide
    load(page, settle, "wide", frame, described)
    expect(page.get_by_text("The table fits its codebook: 25 attributes")).to_be_visible()
    visit(page, "run")
    release(page, settle)
    expect(page.locator(".st-key-job_cancel button")).to_be_visible()
    process.kill()

    again = open_page()
    newest = again.locator(".st-key-earlier input")
    until = time.monotonic() + PATIENCE / 1000
    while not (newest.count() and newest.input_value().startswith("wide")) and time.monotonic() < until:
        visit(again, "run")
        again.get_by_role("tab", name=re.compile("Release")).click()
    _, bundle = downloaded(again, "earlier_download")
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        assert archive.testzip() is None
        released = pd.read_csv(io.BytesIO(archive.read("data.csv")))
    assert list(released.columns) == list(frame.columns)
    assert len(released) == len(frame)


@THOROUGH
def test_a_second_run_from_the_demo_in_chinese_dark_and_narrow(open_page, visit, in_chinese):
    page = open_page(theme="dark", width=390)
    in_chinese(page)
    visit(page, "run")
    expect(page.get_by_role("heading", name="运行", exact=True)).to_be_visible()
    rehearse(page)
    for name, title in (("similarity", "相似度与聚类"), ("networks", "网络"), ("weights", "风险权重")):
        visit(page, name)
        expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
        wide = page.evaluate(
            """() => {
          const main = document.querySelector('[data-testid=stMain]');
          return main.scrollWidth - main.clientWidth;
        }"""
        )
        assert wide <= 1, "nothing sticks out of a narrow window"

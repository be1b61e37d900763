"""A page opened by its address comes up as by its link; the fixture wants no fault in the console."""

import pytest


@pytest.mark.parametrize("name", ["plan", "ledger"])
def test_page_opens_by_its_address(open_page, server, name):
    page = open_page(name)
    assert page.url == f"{server}/{name}"
    page.get_by_test_id("stSidebar").get_by_role("link", name="Explain", exact=True).click()
    page.get_by_role("heading", name="Explain").wait_for()
    assert page.url == f"{server}/explain"


def test_first_page_answers_to_its_name(open_page, server):
    page = open_page("data")
    assert page.url == f"{server}/"
    assert page.get_by_role("dialog").count() == 0

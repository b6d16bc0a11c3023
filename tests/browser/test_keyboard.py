"""Where the focus goes, what is announced, and what stays: the pages as the keyboard and a screen reader meet them."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.harness import RunningStack

pytestmark = pytest.mark.browser

SignIn = Callable[..., None]
NewPage = Callable[..., Page]
ROWS = "[data-row-id]"
PAGE_SIZE = 20


def fill_client(page: Page, **fields: str) -> None:
    for name, value in fields.items():
        page.locator(f"main [name={name}]").fill(value)
    page.keyboard.press("Enter")


def test_more_rows_are_announced_and_the_focus_stays_where_more_can_be_loaded(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn, new_account: Callable[..., str]
) -> None:
    page = new_page()
    sign_in(page, new_account("ENERGY_APP"))
    page.goto(stack.url("energy", "/en/energy/clients"))
    page.locator("#load-more").focus()
    for pages in (2, 3, 4):
        page.keyboard.press("Enter")
        expect(page.locator(ROWS)).to_have_count(pages * PAGE_SIZE)
        expect(page.locator("#list-status")).to_have_text(f"20 more, {pages * PAGE_SIZE} shown")
        expect(page.locator("#load-more")).to_be_focused()
    expect(page).to_have_url(re.compile(r"/en/energy/clients\?pages=4$"))


def test_at_the_end_of_a_list_the_focus_is_on_what_the_list_says_of_itself(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/stations?country=DE&pages=4"))
    page.locator("#load-more").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#load-more")).to_have_count(0)
    expect(page.locator("#more")).to_be_focused()


def test_after_a_form_the_focus_is_on_the_heading_and_the_outcome_in_a_region_that_stayed(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients/new"))
    region = page.locator("#toasts").element_handle()
    fill_client(page, name="Kay Board", email="kay@example.com")
    expect(page.get_by_role("heading", name="Clients")).to_be_focused()
    assert region.evaluate("region => region.isConnected && region.textContent").strip() == "Kay Board was created."


def test_a_form_that_nobody_answered_stays_and_is_sent_again_under_its_key(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients/new"))
    alert = '<div class="notice bad" role="alert" tabindex="-1"><p>nobody answered</p></div>'
    form = page.locator("main form").evaluate("form => form.outerHTML").replace(">", f">{alert}", 1)
    sent: list[dict[str, list[str]]] = []

    def lose_the_first_answer(route: Route) -> None:
        if route.request.method != "POST":
            route.continue_()
            return
        sent.append(parse_qs(route.request.post_data))
        if len(sent) > 1:
            route.continue_()
            return
        assert route.fetch(max_redirects=0).status == 303, "the server has done it"
        route.fulfill(
            status=503,
            body=f'<main id="content">{form}</main>',
            headers={"HX-Retarget": "#content", "HX-Push-Url": "false"},
        )

    page.route("**/clients/new", lose_the_first_answer)
    fill_client(page, name="Twice Sent", email="twice@example.com")
    expect(page.get_by_role("alert")).to_be_focused()
    fill_client(page, name="Twice Sent", email="twice@example.com")
    expect(page.get_by_role("heading", name="Clients")).to_be_focused()
    assert len(sent) == 2
    assert sent[0] == sent[1]
    assert len(sent[0]["submissionKey"][0]) > 16
    page.goto(stack.url("energy", "/en/energy/clients?q=Twice Sent"))
    expect(page.locator(ROWS)).to_have_count(1)


def test_an_error_says_what_it_is_and_stays_until_it_is_closed(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page()
    page.clock.install()
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients"))
    problem = {"title": "It broke", "detail": "Nobody knows why."}
    page.route("**/clients?**", lambda route: route.fulfill(status=500, json=problem))
    for _ in range(2):
        page.locator("#load-more").click()
        expect(page.locator(".toast.error")).to_have_count(1)
    page.clock.run_for(60_000)
    toast = page.get_by_role("alert")
    expect(toast).to_contain_text("It broke")
    expect(toast).to_contain_text("Nobody knows why.")
    toast.get_by_role("button", name="Close").click()
    expect(page.locator(".toast")).to_have_count(0)


def test_the_menu_closes_when_the_keyboard_leaves_it_and_by_escape(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page(viewport={"width": 360, "height": 800})
    sign_in(page, "energy", opens=False)
    page.goto(stack.url("energy", "/en/energy/clients"))
    menu, button = page.locator("#sidebar"), page.get_by_role("button", name="Menu", exact=True)
    button.press("Enter")
    expect(menu).to_be_visible()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(button).to_be_focused()
    button.press("Enter")
    menu.get_by_role("button", name="Sign out").focus()
    page.keyboard.press("Tab")
    expect(menu).to_be_hidden()
    expect(page.locator("main :focus")).to_have_count(1)


def test_a_page_of_another_account_covers_itself_when_it_sends_something(
    stack: RunningStack, new_page: NewPage, sign_in: SignIn
) -> None:
    page, other = new_page(), new_page()
    sign_in(page, "energy")
    sign_in(other, "all")
    page.goto(stack.url("energy", "/en/energy/clients/new"))
    page.context.add_cookies([cookie for cookie in other.context.cookies() if cookie["name"].startswith("VAR_")])
    fill_client(page, name="Whose", email="whose@example.com")
    expect(page.get_by_role("heading", name="Somebody else is signed in now")).to_be_visible()
    page.goto(stack.url("energy", "/en/energy/clients?q=Whose"))
    expect(page.locator(ROWS)).to_have_count(0)
    expect(page).to_have_url(re.compile("Whose"))

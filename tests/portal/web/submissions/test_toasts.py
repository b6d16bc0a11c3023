"""Messages that offer to undo what was done."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib import messages
from django.contrib.messages.storage import default_storage
from django.http import HttpResponse
from django.template import engines
from django.test import RequestFactory

from portal.web import undo_toast
from portal.web.submissions import ShownToasts, Toast, created_toast

FIELDS = {"undo": 'a <signed> "value"'}


def request_of(subject: str, cookies: dict[str, str] | None = None) -> Any:
    request: Any = RequestFactory().get("/")
    request.COOKIES.update(cookies or {})
    request.edge_user = SimpleNamespace(signed_in=True, user=SimpleNamespace(subject=subject))
    request._messages = default_storage(request)
    return request


def said(text: str = "Done.", *, action: str = "/en/orders/1/undo", fields: dict[str, str] = FIELDS) -> dict[str, str]:
    """The cookies of a browser in which Ada did something."""
    request, response = request_of("ada"), HttpResponse()
    undo_toast(request, text, action=action, fields=fields)
    request._messages.update(response)
    return {cookie.key: cookie.value for cookie in response.cookies.values()}


def shown(subject: str, cookies: dict[str, str]) -> list[Toast]:
    return list(ShownToasts(request_of(subject, cookies)))


@pytest.mark.parametrize("action", ["https://evil.example/x", "//evil.example/x", "/\\evil.example", ""])
def test_an_action_that_is_no_path_of_this_app_is_refused(action: str) -> None:
    with pytest.raises(ValueError, match="no path of this app"):
        said(action=action)


@pytest.mark.parametrize(("text", "fields"), [("Done.", {"undo": "x" * 2000}), ('{"action": "/"}', FIELDS)])
def test_too_large_form_leaves_the_message(text: str, fields: dict[str, str]) -> None:
    [toast] = shown("ada", said(text, fields=fields))
    assert (str(toast), toast.undo is None) == (text, fields is not FIELDS)


def test_the_form_is_escaped_carries_the_token_and_the_account_and_is_for_that_account_alone() -> None:
    shell = SimpleNamespace(account="tag-of-ada")
    toasts = engines["pages"].get_template("portal/parts/toasts.html")
    html = toasts.render({"messages": shown("ada", said("<b>Done</b>")), "csrf_input": "the-token", "shell": shell})
    assert "&lt;b&gt;Done&lt;/b&gt;" in html
    assert 'name="undo" value="a &lt;signed&gt; &#34;value&#34;"' in html
    assert 'name="madeFor" value="tag-of-ada"' in html
    assert "the-token" in html
    assert '<form method="post" action="/en/orders/1/undo" data-undo>' in html
    assert 'aria-live="polite"' in html
    assert shown("ida", said()) == []


def test_what_was_said_twice_is_shown_once_with_the_last_form_that_undoes_it() -> None:
    request = request_of("ada")
    for undo, address in [("1", "orders/1"), ("2", "orders/1"), ("3", "orders/2")]:
        undo_toast(request, "Done.", action=f"/en/{address}/undo", fields={"undo": undo})
    for text in ("Undone.", "Undone."):
        messages.success(request, text)
    messages.error(request, "Undone.")
    toasts = [(str(toast), toast.level_tag, toast.undo and toast.undo.fields["undo"]) for toast in ShownToasts(request)]
    assert toasts == [
        ("Done.", "success", "2"),
        ("Done.", "success", "3"),
        ("Undone.", "success", None),
        ("Undone.", "error", None),
    ]


def test_rows_of_one_name_that_were_created_are_each_named_to_the_list_that_comes_next() -> None:
    request, response = request_of("ada"), HttpResponse()
    for row_id in ("cli_1", "cli_2", "cli_2"):
        created_toast(request, "Ada was created.", row_id=row_id)
    request._messages.update(response)
    toasts = shown("ada", {cookie.key: cookie.value for cookie in response.cookies.values()})
    assert [(str(toast), toast.created, toast.undo) for toast in toasts] == [
        ("Ada was created.", "cli_1", None),
        ("Ada was created.", "cli_2", None),
    ]


@pytest.mark.parametrize(
    "tags", ["{not json}", '{"action": "/en/x"}', '{"action": 5, "fields": {}}', '{"created": 7}', '{"swapped": {}}']
)
def test_a_message_of_another_release_shows_its_text_alone(tags: str) -> None:
    request = request_of("ada")
    messages.success(request, "Done.", extra_tags=tags)
    [toast] = ShownToasts(request)
    assert (str(toast), toast.undo, toast.created) == ("Done.", None, "")

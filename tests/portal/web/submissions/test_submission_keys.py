"""The key of a form."""

import pytest
from django.http import HttpRequest
from django.test import RequestFactory

from portal.web.submissions import SUBMISSION_FIELD, new_submission_key, submission_key, used_submission_key


def form_with(key: str) -> HttpRequest:
    return RequestFactory().post("/", {SUBMISSION_FIELD: key})


def test_a_form_that_is_sent_again_has_the_same_key() -> None:
    key, request = new_submission_key(), form_with("")
    assert [submission_key(form_with(key)) for _ in range(2)] == [key] * 2
    assert submission_key(request) == submission_key(request) == used_submission_key(request)


@pytest.mark.parametrize("sent", ["", "short", "x" * 65, "x" * 20 + "\r\nX: 1", "ä" * 20])
def test_what_is_no_key_is_replaced(sent: str) -> None:
    assert submission_key(form_with(sent)) not in {sent, submission_key(form_with(sent))}

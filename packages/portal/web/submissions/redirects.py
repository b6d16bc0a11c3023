"""The response to a form that was done."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from django.shortcuts import redirect

if TYPE_CHECKING:
    from django.http import HttpResponse


def see_other(url: str, *args: object) -> HttpResponse:
    """Redirect with 303 after a form was sent: the browser gets the page, and a reload does not send the form again.

    :param url: a URL, or the name of one, whose values are `args`.
    """
    response = redirect(url, *args)
    response.status_code = HTTPStatus.SEE_OTHER
    return response

"""A form that was sent: the key under which it is done once, and what the next page says of it."""

import json
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from django.contrib import messages
from django.contrib.messages import get_messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from markupsafe import Markup

from portal.web.request import PortalRequest

SUBMISSION_FIELD: Final = "submissionKey"
#: Sent with a form that was sent before, with an outcome that nobody knows: no later failure tells it.
UNKNOWN_FIELD: Final = "outcomeUnknown"
_KEY: Final = re.compile(r"[A-Za-z0-9_-]{16,64}")
#: The request's attribute.
_USED: Final = "_portal_submission_key"


def submission_key(request: HttpRequest) -> str:
    """The key of the form that was sent, for a write's `idempotency_key`; a new one if the form has none."""
    known = used_submission_key(request)
    if known:
        return known
    sent = request.POST.get(SUBMISSION_FIELD, "")
    key = sent if _KEY.fullmatch(sent) else new_submission_key()
    setattr(request, _USED, key)
    return key


def used_submission_key(request: HttpRequest) -> str:
    """The key under which this request has written; empty if its view has asked for none."""
    used: str = getattr(request, _USED, "")
    return used


def new_submission_key() -> str:
    """Return a random key."""
    return secrets.token_urlsafe(16)


class SubmissionInput:
    """The hidden input of a form that is done once: `{{ submission_input }}`. Each form of a page has another key."""

    def __html__(self) -> str:
        """The HTML, as a template that escapes all else writes it."""
        return f'<input type="hidden" name="{SUBMISSION_FIELD}" value="{new_submission_key()}">'


#: Stands for the hidden input in a page that is kept. Nobody else can write it.
SUBMISSION_HOLE: Final = Markup("<!--%s-->") % secrets.token_hex(16)


#: Characters of the form in the cookie. Django keeps 2 kB of messages, and drops one that is larger.
_MAX_CHARS: Final = 1400


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """The form that undoes a deed.

    :param action: a path of this app, which takes a POST.
    :param fields: its hidden fields.
    """

    action: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Toast:
    """A message as pages show it.

    :param undo: None if there is nothing to be undone.
    :param created: id of the row that was created, which a list marks; empty if none was.
    """

    text: str
    level_tag: str
    undo: Undo | None = None
    created: str = ""

    def __str__(self) -> str:
        return self.text


def undo_toast(request: PortalRequest, text: str, *, action: str, fields: Mapping[str, str]) -> None:
    """Say on the next page what was done, with a button that undoes it.

    The button is there for ten seconds; without scripts, as long as that page.

    :param action: a path of this app, which takes a POST.
    :param fields: what the form sends. They lie in a signed cookie, and come back from a page: the view that takes them
        checks them as it checks any input. A form that is too large for the cookie is left out.
    :raises ValueError: the action is no path of this app.
    """
    if not action.startswith("/") or action.startswith(("//", "/\\")):
        raise ValueError(f"undo_toast: {action!r} is no path of this app")
    form = json.dumps({"action": action, "fields": dict(fields)})
    messages.success(request, text, extra_tags=form if len(form) <= _MAX_CHARS else "")


def created_toast(request: PortalRequest, text: str, *, row_id: str) -> None:
    """Say on the next page what was created. If that page is a list with the row, it marks the row."""
    messages.success(request, text, extra_tags=json.dumps({"created": row_id}))


class ShownToasts:
    """The messages that are not shown yet. Who goes through them has shown them.

    A form that arrives twice is done once, and its message, which was added twice, is shown once.
    """

    def __init__(self, request: PortalRequest) -> None:
        self._request = request

    def __iter__(self) -> Iterator[Toast]:
        shown: dict[object, Toast] = {}
        for message in get_messages(self._request):
            text, level = str(message.message), message.level_tag
            undo, created = _read_tags(message.extra_tags)
            toast = Toast(text=text, level_tag=level, undo=undo, created=created)
            # Each has a token of its own to undo the deed; the last one is that of the row's present version.
            shown[text, level, undo and undo.action, toast.created] = toast
        yield from shown.values()


def _read_tags(tags: object) -> tuple[Undo | None, str]:
    """What a message offers to undo, and the id of what was created; neither, if another release wrote it otherwise."""
    try:
        found = json.loads(tags) if isinstance(tags, str) and tags.startswith("{") else None
    except ValueError:
        found = None
    match found:
        case {"action": str() as action, "fields": dict() as fields}:
            return Undo(action=action, fields=fields), ""
        case {"created": str() as created}:
            return None, created
        case _:
            return None, ""


def see_other(url: str, *args: object) -> HttpResponse:
    """Redirect with 303 after a form was sent: the browser gets the page, and a reload does not send the form again.

    :param url: a URL, or the name of one, whose values are `args`.
    """
    response = redirect(url, *args)
    response.status_code = HTTPStatus.SEE_OTHER
    return response

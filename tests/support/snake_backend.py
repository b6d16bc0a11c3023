"""A backend of names with underscores and repeated values: its class of `APP_BACKEND`, and what makes the sandbox one.

The class names what is around the rows. The fields of the rows are no part of it: those of two words are not there.
"""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlencode

from portal.api import Backend
from tests.support.serving import Call, Reply

#: Parameters whose values are names.
_OF_NAMES = {"sort", "by", "of"}
_OTHER_WORDS = re.compile(r"[A-Z]")


class SnakeBackend(Backend):
    """The names around the rows."""

    access_token_field = "access_token"
    refresh_token_field = "refresh_token"
    has_next_field = "has_next"
    next_cursor_field = "next_cursor"
    repeats_values = True


def snake(name: str) -> str:
    """The name of a field; a key of a mapping that is none stays."""
    is_name = re.fullmatch(r"[a-z]+[A-Z]\w*", name)
    return _OTHER_WORDS.sub(lambda found: f"_{found[0].lower()}", name) if is_name else name


def _camel(name: str) -> str:
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name)


def with_names(data: Any, named: Callable[[str], str]) -> Any:
    """The same, with all its keys named so."""
    if isinstance(data, list):
        return [with_names(each, named) for each in data]
    return {named(name): with_names(each, named) for name, each in data.items()} if isinstance(data, dict) else data


def in_snake_case(ask: Callable[[Call], Reply]) -> Callable[[Call], Reply]:
    """The backend that speaks so, of the sandbox behind `ask`. What it knows by no name it ignores."""

    def answer(call: Call) -> Reply:
        body = call.data()
        known = {name: value for name, value in body.items() if not _OTHER_WORDS.search(name)}
        sent = json.dumps(with_names(known, _camel)).encode() if call.body else b""
        method, target, version = call.line.split()
        params = {}
        for name, values in parse_qs(target.partition("?")[2]).items():
            # A comma belongs to a value here, and stands between two of the sandbox.
            heard = [
                value.replace(",", r"\,") for value in values if name not in _OF_NAMES or not _OTHER_WORDS.search(value)
            ]
            if heard and not _OTHER_WORDS.search(name):
                params[_camel(name)] = ",".join(_camel(value) if name in _OF_NAMES else value for value in heard)
        found = ask(replace(call, line=f"{method} {call.path}?{urlencode(params)} {version}", body=sent))
        told = json.dumps(with_names(json.loads(found.body), snake)).encode() if found.body else b""
        return replace(found, body=told)

    return answer

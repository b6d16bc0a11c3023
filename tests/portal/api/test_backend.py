"""The class that says what a backend names or shapes otherwise; with no class of a team, the contract's shapes."""

import json
import logging
from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from traceback import format_exception
from typing import Any

import pytest
from django.test import override_settings

from portal import errors
from portal.api import Backend, BackendProblem, ListQuery, current_backend
from portal.api.backend import backend_of
from portal.api.backend.wire_calls import (
    build_body,
    build_list_params,
    encode_body,
    read_error,
    read_page,
    read_profile,
    read_tokens,
)
from portal.api.responses import RawResponse, read_response
from portal.config.current import portal_config

PAGE = {"items": [{"id": "1"}], "hasNext": True, "nextCursor": "c2", "total": 9}
FIRST = ListQuery(path="/energy/clients", limit=20)
ASKED = replace(FIRST, cursor="c", search="oslo", sort="-name", filters={"city": "Ulm,Bern"})
#: A value that no source line of a traceback has.
EMAIL = f"ada{5 * 5}@example.com"


class Renaming(Backend):
    """A backend that has other names alone."""

    access_token_field = "bearer"
    refresh_token_field = "longLived"
    email_field = "loginName"
    password_field = "passphrase"
    items_field = "entries"
    has_next_field = "more"
    next_cursor_field = "continueAt"
    total_field = "matches"
    cursor_param = "from"
    limit_param = "top"
    search_param = "find"
    sort_param = "order"


class Broken(Backend):
    """A class whose every method is wrong. What some of them raise quotes what they were given."""

    def build_sign_in(self, *, email: str, password: str) -> Any:
        return {}[password] if password == EMAIL else email + password

    def build_refresh(self, *, refresh_token: str) -> Any:
        return {"token": {refresh_token}}

    def build_list_params(self, query: ListQuery) -> Any:
        raise RuntimeError("no params")

    def read_tokens(self, body: Any) -> Any:
        return {"accessToken": 5}

    def read_profile(self, body: Any) -> Any:
        return {}[body["email"]]

    def read_page(self, query: ListQuery, body: Any) -> Any:
        raise TypeError(body["email"])

    def read_error(self, status: int, body: Any) -> Any:
        return body["error"]


class WithoutBody(Backend):
    def read_profile(self) -> Any:  # type: ignore[override]  # a mistake
        return {}


@pytest.mark.parametrize(
    ("backend", "sign_in", "tokens", "params", "page"),
    [
        (
            Backend(),
            {"email": "ada@example.com", "password": "å"},
            {"accessToken": "a", "refreshToken": "r", "more": 1},
            {"limit": "20", "cursor": "c", "q": "oslo", "sort": "-name", "city": "Ulm,Bern"},
            PAGE,
        ),
        (
            Renaming(),
            {"loginName": "ada@example.com", "passphrase": "å"},
            {"bearer": "a", "longLived": "r"},
            {"top": "20", "from": "c", "find": "oslo", "order": "-name", "city": "Ulm,Bern"},
            {"entries": [{"id": "1"}], "more": True, "continueAt": "c2", "matches": 9},
        ),
    ],
    ids=["the contract", "other names"],
)
def test_the_contracts_shapes_go_by_the_names_of_the_class(backend, sign_in, tokens, params, page) -> None:
    body = build_body(backend.build_sign_in, email="ada@example.com", password="å")
    assert body == sign_in
    content, kind = encode_body(body)
    assert (json.loads(content), kind) == (body, "application/json")
    assert read_tokens(backend, tokens) == {"accessToken": "a", "refreshToken": "r"}
    assert build_list_params(backend, ASKED) == params
    assert read_page(backend, FIRST, page) == PAGE


def test_of_the_contract_what_is_not_there_is_left_out_and_what_is_more_stays() -> None:
    for build in (Backend().build_refresh, Backend().build_sign_out):
        assert build_body(build, refresh_token="r") == {"refreshToken": "r"}
    assert build_list_params(Backend(), FIRST) == {"limit": "20"}
    assert read_page(Backend(), FIRST, PAGE | {"more": 1}) == PAGE | {"more": 1}
    assert read_page(Backend(), FIRST, []) == [], "what is no page is left to who asked"
    assert read_tokens(Backend(), {"accessToken": "a"}) == {"accessToken": "a", "refreshToken": None}


def giving(**params: Any) -> Backend:
    return type("Giving", (Backend,), {"build_list_params": lambda *_: params})()


def test_list_parameters_are_texts_or_sequences_of_texts() -> None:
    given = giving(limit=20, status=["b", "a"], tag=("x,y",), none=[], city="Ulm,Bern", q=None)
    sent = {"limit": "20", "status": ["b", "a"], "tag": ("x,y",), "none": [], "city": "Ulm,Bern"}
    assert build_list_params(given, FIRST) == sent


@pytest.mark.parametrize("value", [{"a": "b"}, {"a"}, True, 1.5, b"a", ["a", 1], [["a"]], (None,)], ids=repr)
def test_list_parameter_of_another_type_is_refused(value: object) -> None:
    line = rf"^\S+\.Giving\.<lambda> should give [^\n]+; status is {type(value).__name__}$"
    with pytest.raises(errors.UsageError, match=line):
        build_list_params(giving(limit=20, status=value), FIRST)


@pytest.mark.parametrize("body", [None, {}, [], "a", {"accessToken": ""}, {"accessToken": 5}, {"access_token": "a"}])
def test_an_answer_without_tokens_is_told_by_the_shape_that_it_should_have(
    body: object, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(errors.ApiMalformedError):
        read_tokens(Backend(), body)
    [line] = caplog.messages
    assert "Backend.read_tokens" in line
    assert '"accessToken": text' in line


# --- errors ---


def refused(read: Callable[[int, Any], Any], status: int, content: bytes = b"{}") -> errors.ApiError:
    """The error of an answer that is no success, as a class with this method reads it."""
    backend = type("Made", (Backend,), {"read_error": lambda _, status, body: read(status, body)})()
    with override_settings(PORTAL=replace(portal_config(), backend=backend)):
        assert current_backend() is backend_of(portal_config()) is backend
        with pytest.raises(errors.ApiError) as raised:
            read_response(RawResponse(status=status, headers={}, content=content))
    return raised.value


def acme(status: int, body: Any) -> BackendProblem:
    """Errors as of OAuth, and nested ones."""
    error = body["error"]
    if error == "invalid_grant":
        return BackendProblem(status=401)
    return BackendProblem(status=status, detail=error["message"], errors={error["param"]: [error["message"]]})


def test_a_nested_error_is_at_its_field_a_class_says_what_a_status_means_and_another_body_is_its_status() -> None:
    nested = refused(acme, 400, b'{"error": {"message": "is taken", "param": "email"}}')
    assert isinstance(nested, errors.ApiValidationError)
    assert (nested.detail, nested.errors) == ("is taken", {"email": ("is taken",)})
    assert isinstance(refused(acme, 400, b'{"error": "invalid_grant"}'), errors.ApiUnauthorizedError)
    for content in (b"", b"<html>", b"[]", b"{}"):
        assert isinstance(refused(acme, 403, content), errors.ApiForbiddenError)


@pytest.mark.parametrize(
    "problem",
    [
        *(BackendProblem(status=status) for status in ("404", None, True, 200)),  # type: ignore[arg-type]
        *(BackendProblem(status=422, detail=detail) for detail in ({"text": "no"}, None)),  # type: ignore[arg-type]
    ],
    ids=repr,
)
def test_an_error_whose_parts_have_another_type_keeps_its_status(
    problem: BackendProblem, caplog: pytest.LogCaptureFixture
) -> None:
    assert isinstance(refused(lambda *_: problem, 409), errors.ApiConflictError)
    assert "Made.<lambda> gave something else" in caplog.text


@pytest.mark.parametrize(
    ("of_fields", "kept"),
    [
        ({"a": ("x", "y"), "b": ["z"]}, {"a": ("x", "y"), "b": ("z",)}),
        *((each, {}) for each in (None, [1], "text", {1: ["no"]}, {"email": 1}, {"email": None})),
    ],
)
def test_messages_of_fields_are_texts_alone(of_fields: Any, kept: Any) -> None:
    problem = BackendProblem(status=HTTPStatus.UNPROCESSABLE_ENTITY, detail="No.", errors=of_fields)
    error = refused(lambda *_: problem, 400)
    assert isinstance(error, errors.ApiValidationError)
    assert (error.status, error.detail, error.errors) == (422, "No.", kept)


# --- a mistake in a class is told by the name of the method and its line, without a value, and blamed on no user ---


@pytest.mark.parametrize(
    ("build", "told"),
    [
        (
            lambda: build_body(Broken().build_sign_in, email="a", password="b"),
            "build_sign_in should give a dict or a FormBody, not str",
        ),
        (
            lambda: build_body(Broken().build_sign_in, email="a", password=EMAIL),
            "build_sign_in raised KeyError (test_backend.py, line ",
        ),
        (lambda: build_body(Broken().build_refresh, refresh_token="r"), "build_refresh should give what JSON can hold"),
        (lambda: build_list_params(Broken(), FIRST), "build_list_params raised RuntimeError (test_backend.py, line "),
    ],
)
def test_what_builds_a_request_is_a_usage_error(build: Callable[[], object], told: str) -> None:
    with pytest.raises(errors.UsageError) as raised:
        build()
    assert f"Broken.{told}" in str(raised.value)
    assert EMAIL not in "".join(format_exception(raised.value))


@pytest.mark.parametrize(
    ("read", "line"),
    [
        (lambda: read_tokens(Broken(), {}), "Broken.read_tokens gave something else"),
        (
            lambda: read_profile(Broken(), {"email": EMAIL}),
            "Broken.read_profile raised KeyError (test_backend.py, line ",
        ),
        (
            lambda: read_page(Broken(), FIRST, {"email": EMAIL}),
            "Broken.read_page raised TypeError (test_backend.py, line ",
        ),
        (lambda: read_profile(WithoutBody(), {}), "WithoutBody.read_profile raised TypeError; it should give"),
    ],
)
def test_what_reads_an_answer_makes_it_unusable(read: Any, line: str, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(errors.ApiMalformedError) as raised:
        read()
    assert line in caplog.text
    assert EMAIL not in caplog.text + "".join(format_exception(raised.value))
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


def test_an_error_that_can_t_be_read_keeps_its_status(caplog: pytest.LogCaptureFixture) -> None:
    assert read_error(Broken(), 409, {}) == BackendProblem(status=409)
    assert read_error(Broken(), 409, {"error": "text"}) == BackendProblem(status=409)
    assert "Broken.read_error raised KeyError" in caplog.text
    assert "Broken.read_error gave something else" in caplog.text

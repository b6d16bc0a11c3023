"""The class that says what a backend names or shapes otherwise; with no class of a team, the contract's shapes."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from traceback import format_exception
from typing import Any

import pytest
from django.test import override_settings

from portal.api import Backend, BackendProblem, FormBody, ListQuery, current_backend
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
from portal.errors import (
    ApiConflictError,
    ApiError,
    ApiForbiddenError,
    ApiMalformedError,
    ApiUnauthorizedError,
    ApiValidationError,
    UsageError,
)

PAGE = {"items": [{"id": "1"}], "hasNext": True, "nextCursor": "c2", "total": 9}
FIRST = ListQuery(path="/energy/clients", limit=20)


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
    """A class whose every method is wrong."""

    def build_sign_in(self, *, email: str, password: str) -> Any:
        return email + password

    def build_refresh(self, *, refresh_token: str) -> Any:
        return {"token": {refresh_token}}

    def build_list_params(self, query: ListQuery) -> Any:
        raise RuntimeError("no params")

    def read_tokens(self, body: Any) -> Any:
        return {"accessToken": 5}

    def read_profile(self, body: Any) -> Any:
        return body["user"]

    def read_page(self, query: ListQuery, body: Any) -> Any:
        return body["data"]

    def read_error(self, status: int, body: Any) -> Any:
        return body["error"]


class TestTheContract:
    def test_sign_in_refresh_and_sign_out_are_json(self) -> None:
        backend = Backend()
        body = build_body(backend.build_sign_in, email="ada@example.com", password="å")
        assert body == {"email": "ada@example.com", "password": "å"}
        content, kind = encode_body(body)
        assert (json.loads(content), kind) == (body, "application/json")
        for build in (backend.build_refresh, backend.build_sign_out):
            assert build_body(build, refresh_token="r") == {"refreshToken": "r"}

    def test_a_page_is_asked_for_by_the_contracts_names(self) -> None:
        assert build_list_params(Backend(), FIRST) == {"limit": "20"}
        query = replace(FIRST, cursor="c", search="oslo", sort="-name", filters={"city": "Ulm,Bern"})
        assert build_list_params(Backend(), query) == {
            "limit": "20",
            "cursor": "c",
            "q": "oslo",
            "sort": "-name",
            "city": "Ulm,Bern",
        }

    def test_a_page_is_read_as_it_came(self) -> None:
        assert read_page(Backend(), FIRST, PAGE | {"more": 1}) == PAGE | {"more": 1}
        assert read_page(Backend(), FIRST, []) == [], "what is no page is left to who asked"

    def test_tokens_are_read(self) -> None:
        assert read_tokens(Backend(), {"accessToken": "a", "refreshToken": "r", "more": 1}) == {
            "accessToken": "a",
            "refreshToken": "r",
        }
        assert read_tokens(Backend(), {"accessToken": "a"}) == {"accessToken": "a", "refreshToken": None}

    @pytest.mark.parametrize(
        "body", [None, {}, [], "a", {"accessToken": ""}, {"accessToken": 5}, {"access_token": "a"}]
    )
    def test_an_answer_without_tokens_is_told_by_the_shape_that_it_should_have(
        self, body: object, caplog: pytest.LogCaptureFixture
    ) -> None:
        with pytest.raises(ApiMalformedError):
            read_tokens(Backend(), body)
        [line] = caplog.messages
        assert "Backend.read_tokens" in line
        assert '"accessToken": text' in line


class TestOtherNames:
    def test_attributes_are_enough(self) -> None:
        backend = Renaming()
        body = build_body(backend.build_sign_in, email="ada", password="p")
        assert body == {"loginName": "ada", "passphrase": "p"}
        assert read_tokens(backend, {"bearer": "a", "longLived": "r"}) == {"accessToken": "a", "refreshToken": "r"}
        query = replace(FIRST, cursor="c", search="oslo", sort="name")
        assert build_list_params(backend, query) == {"top": "20", "from": "c", "find": "oslo", "order": "name"}
        page = {"entries": [{"id": "1"}], "more": True, "continueAt": "c2", "matches": 9}
        assert read_page(backend, FIRST, page) == PAGE

    def test_a_form_is_encoded_as_one(self) -> None:
        class OAuth(Backend):
            def build_sign_in(self, *, email: str, password: str) -> FormBody:
                return FormBody(grant_type="password", username=email, password=password)

        body, kind = encode_body(build_body(OAuth().build_sign_in, email="ada@example.com", password="a&b"))
        assert kind == "application/x-www-form-urlencoded"
        assert body == b"grant_type=password&username=ada%40example.com&password=a%26b"


def refused(read: Callable[[int, Any], Any], status: int, content: bytes = b"{}") -> ApiError:
    """The error of an answer that is no success, as a class with this method reads it."""
    backend = type("Made", (Backend,), {"read_error": lambda _, status, body: read(status, body)})()
    with override_settings(PORTAL=replace(portal_config(), backend=backend)):
        assert current_backend() is backend_of(portal_config()) is backend
        with pytest.raises(ApiError) as raised:
            read_response(RawResponse(status=status, headers={}, content=content))
    return raised.value


def acme(status: int, body: Any) -> BackendProblem:
    """Errors as of OAuth, and nested ones."""
    error = body["error"]
    if error == "invalid_grant":
        return BackendProblem(status=401)
    return BackendProblem(status=status, detail=error["message"], errors={error["param"]: [error["message"]]})


class TestErrors:
    def test_a_nested_error_is_at_its_field_and_a_class_says_what_a_status_means(self) -> None:
        nested = refused(acme, 400, b'{"error": {"message": "is taken", "param": "email"}}')
        assert isinstance(nested, ApiValidationError)
        assert (nested.detail, nested.errors) == ("is taken", {"email": ("is taken",)})
        assert isinstance(refused(acme, 400, b'{"error": "invalid_grant"}'), ApiUnauthorizedError)

    @pytest.mark.parametrize("content", [b"", b"<html>", b"[]", b"{}"])
    def test_another_body_is_its_status(self, content: bytes) -> None:
        assert isinstance(refused(acme, 403, content), ApiForbiddenError)

    @pytest.mark.parametrize(
        "problem",
        [
            *(BackendProblem(status=status) for status in ("404", None, True, 200)),  # type: ignore[arg-type]
            *(BackendProblem(status=422, detail=detail) for detail in ({"text": "no"}, None)),  # type: ignore[arg-type]
        ],
        ids=repr,
    )
    def test_an_error_whose_parts_have_another_type_keeps_its_status(
        self, problem: BackendProblem, caplog: pytest.LogCaptureFixture
    ) -> None:
        assert isinstance(refused(lambda *_: problem, 409), ApiConflictError)
        assert "Made.<lambda> gave something else" in caplog.text

    @pytest.mark.parametrize(
        ("errors", "kept"),
        [
            ({"a": ("x", "y"), "b": ["z"]}, {"a": ("x", "y"), "b": ("z",)}),
            *((each, {}) for each in (None, [1], "text", {1: ["no"]}, {"email": 1}, {"email": None})),
        ],
    )
    def test_texts_at_fields_are_taken_and_those_of_another_type_left_out(self, errors: Any, kept: Any) -> None:
        problem = BackendProblem(status=HTTPStatus.UNPROCESSABLE_ENTITY, detail="No.", errors=errors)
        error = refused(lambda *_: problem, 400)
        assert isinstance(error, ApiValidationError)
        assert (error.status, error.detail, error.errors) == (422, "No.", kept)


class TestAMistakeInAClass:
    """It is told by the name of the method, and never blamed on a user."""

    def test_what_builds_a_request_is_a_usage_error(self) -> None:
        backend = Broken()
        with pytest.raises(UsageError, match=r"Broken\.build_sign_in should give a dict or a FormBody, not str"):
            build_body(backend.build_sign_in, email="a", password="b")
        with pytest.raises(UsageError, match=r"Broken\.build_refresh should give what JSON can hold"):
            build_body(backend.build_refresh, refresh_token="r")
        with pytest.raises(
            UsageError, match=r"Broken\.build_list_params raised RuntimeError \(test_backend\.py, line \d+\)"
        ):
            build_list_params(backend, FIRST)

    @pytest.mark.parametrize(
        ("read", "line"),
        [
            (lambda: read_tokens(Broken(), {}), "Broken.read_tokens gave something else"),
            (lambda: read_profile(Broken(), {}), "Broken.read_profile raised KeyError (test_backend.py, line "),
            (lambda: read_page(Broken(), FIRST, {}), "Broken.read_page raised KeyError (test_backend.py, line "),
        ],
    )
    def test_what_reads_an_answer_makes_it_unusable(
        self, read: Any, line: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        with pytest.raises(ApiMalformedError):
            read()
        assert line in caplog.text
        assert [record.levelno for record in caplog.records] == [logging.ERROR]

    def test_an_error_that_can_t_be_read_keeps_its_status(self, caplog: pytest.LogCaptureFixture) -> None:
        assert read_error(Broken(), 409, {}) == BackendProblem(status=409)
        assert read_error(Broken(), 409, {"error": "text"}) == BackendProblem(status=409)
        assert "Broken.read_error raised KeyError" in caplog.text
        assert "Broken.read_error gave something else" in caplog.text


#: A value that no source line of a traceback has.
EMAIL = f"ada{5 * 5}@example.com"


class Choosing(Backend):
    """A class that looks up what it was given: the text of its errors is a value."""

    def build_sign_in(self, *, email: str, password: str) -> Any:
        return {}[password]

    def read_profile(self, body: Any) -> Any:
        return {}[body["email"]]

    def read_page(self, query: ListQuery, body: Any) -> Any:
        raise TypeError(body["email"])


class TestNoValueIsTold:
    """What a method raises may quote what it was given. The line that raised is enough for its developer."""

    @pytest.mark.parametrize(
        "read",
        [
            lambda body: read_profile(Choosing(), body),
            lambda body: read_page(Choosing(), FIRST, body),
        ],
        ids=["a key", "a text"],
    )
    def test_nothing_of_an_answer_is_in_the_log_or_in_a_traceback(
        self, read: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        with pytest.raises(ApiMalformedError) as raised:
            read({"email": EMAIL})
        assert "test_backend.py, line" in caplog.text
        assert EMAIL not in caplog.text + "".join(format_exception(raised.value))

    def test_nothing_of_what_is_sent_is_in_the_error_or_in_its_traceback(self) -> None:
        with pytest.raises(UsageError) as raised:
            build_body(Choosing().build_sign_in, email="ada", password=EMAIL)
        assert "Choosing.build_sign_in raised KeyError (test_backend.py, line" in str(raised.value)
        assert EMAIL not in "".join(format_exception(raised.value))

    def test_a_method_that_can_t_be_called_is_told_without_a_line(self, caplog: pytest.LogCaptureFixture) -> None:
        class WithoutBody(Backend):
            def read_profile(self) -> Any:  # type: ignore[override]  # a mistake
                return {}

        with pytest.raises(ApiMalformedError):
            read_profile(WithoutBody(), {})
        assert "WithoutBody.read_profile raised TypeError; it should give" in caplog.text

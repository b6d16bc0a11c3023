"""The one place where a call leaves the contract's shapes, and where its answer enters them.

The query layer gives a call by the contract's paths and names, and gets what goes over the wire, and what reads the
answer. A call that no part of the backend's class is about stays as it is.

The methods of the class are called with care: what a class does wrong is told to its developer by its name. A `build_…`
method that fails is a fault of code: :class:`~portal.errors.UsageError`. A `read_…` method that fails has met an answer
that can't be used, as far as anybody knows: :class:`~portal.errors.ApiMalformedError`, and a line in the log with the
method and the shape that it should give. Of what a method raised, its type and its line are told, and not its text:
that may quote a value of the answer, or a password.
"""

import json
import logging
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import urlencode

from portal.api.backend.backend_class import (
    Backend,
    BackendProblem,
    FormBody,
    ListQuery,
    QueryParams,
    current_backend,
    split_query,
)
from portal.config.contract_names import (
    ACCESS_TOKEN_FIELD,
    AUTH_LOGIN_PATH,
    AUTH_LOGOUT_PATH,
    CURSOR_PARAM,
    FORGOT_PASSWORD_PATH,
    ID_FIELD,
    ITEMS_FIELD,
    LIMIT_PARAM,
    LOGIN_EMAIL_FIELD,
    LOGIN_PASSWORD_FIELD,
    ME_PATH,
    REFRESH_TOKEN_FIELD,
    RESET_PASSWORD_PATH,
    SEARCH_PARAM,
    SORT_PARAM,
)
from portal.errors import ApiMalformedError, UsageError

logger = logging.getLogger("portal.api.backend.checked_methods")

_SUCCESS: Final = range(200, 300)


class EncodedBody(NamedTuple):
    """A body as it is sent."""

    content: bytes
    content_type: str


def build_body(build: Callable[..., object], **given: str) -> Mapping[str, Any]:
    """The body that a `build_…` method gives: a `FormBody`, or what is sent as JSON.

    :raises UsageError: it raised, or gave no dict that can be sent.
    """
    body: Mapping[str, Any] = _built(build, "a dict or a FormBody", **given)
    try:
        encode_body(body)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{_name(build)} should give what JSON can hold: {error}") from error
    return body


def encode_body(body: object) -> EncodedBody:
    """A body as it is sent: a form, or JSON.

    :raises TypeError: JSON can't hold it; also a ValueError.
    """
    if isinstance(body, FormBody):
        return EncodedBody(urlencode(body).encode(), "application/x-www-form-urlencoded")
    return EncodedBody(json.dumps(body, separators=(",", ":"), allow_nan=False).encode(), "application/json")


def build_list_params(backend: Backend, query: ListQuery) -> dict[str, str | Sequence[str]]:
    """The parameters of a page's address, as texts and lists of texts; without those that are None.

    :raises UsageError: the method raised, or gave no dict, or a value of another type.
    """
    should = "a dict of texts, whole numbers, lists of texts and None"
    params = _built(backend.build_list_params, should, query)
    sent = {name: str(value) if type(value) is int else value for name, value in params.items() if value is not None}
    for name, value in sent.items():
        texts = value if isinstance(value, list | tuple) else [value]
        if not all(isinstance(text, str) for text in texts):
            method = _name(backend.build_list_params)
            raise UsageError(f"{method} should give {should}; {name} is {type(value).__name__}")
    return sent


def read_tokens(backend: Backend, body: object) -> dict[str, str | None]:
    """The tokens in the answer to a sign-in or a refresh: `accessToken`, and `refreshToken`, which may be None.

    :raises ApiMalformedError: the answer has no access token.
    """
    should = '{"accessToken": text, "refreshToken": text or None}'
    found = _read(backend.read_tokens, should, body)
    access = found.get(ACCESS_TOKEN_FIELD) if isinstance(found, Mapping) else None
    refresh = found.get(REFRESH_TOKEN_FIELD) if isinstance(found, Mapping) else None
    if not (isinstance(access, str) and access) or not (refresh is None or isinstance(refresh, str)):
        raise _unusable(backend.read_tokens, should, "gave something else")
    return {ACCESS_TOKEN_FIELD: access, REFRESH_TOKEN_FIELD: refresh or None}


def read_profile(backend: Backend, body: object) -> Any:
    """The profile in the answer of `/me`.

    :raises ApiMalformedError: the method raised.
    """
    return _read(backend.read_profile, '{"id"?, "email"?, "name"?, "permissions": [text, …]}', body)


def read_page(backend: Backend, query: ListQuery, body: object) -> Any:
    """A page of a list. Whether it is one is checked by who asked.

    :raises ApiMalformedError: the method raised.
    """
    page = _read(backend.read_page, f'{{"{ITEMS_FIELD}": [row, …], "hasNext", "nextCursor", "total"}}', query, body)
    return dict(page) if isinstance(page, Mapping) else page


def read_error(backend: Backend, status: int, body: object) -> BackendProblem:
    """What an answer that is no success says; its status alone where the method fails."""
    try:
        problem = _read(backend.read_error, "a BackendProblem", status, body)
    except ApiMalformedError:
        return BackendProblem(status=status)
    given, detail = getattr(problem, "status", None), getattr(problem, "detail", None)  # of any type
    if (
        isinstance(problem, BackendProblem)
        and isinstance(given, int)
        and not isinstance(given, bool)
        and given not in _SUCCESS
        and isinstance(detail, str)
    ):
        return problem
    should = "a BackendProblem whose status is a number and no success, and whose detail is a text"
    _unusable(backend.read_error, should, "gave something else")
    return BackendProblem(status=status)


def _built(build: Callable[..., object], should: str, *given: object, **named: object) -> Any:
    try:
        found = build(*given, **named)
    except Exception as error:  # noqa: BLE001  a team's method raises anything, and its text is secret
        raise UsageError(f"{_name(build)} {_raised(error)}; it should give {should}") from None
    if not isinstance(found, Mapping):
        raise UsageError(f"{_name(build)} should give {should}, not {type(found).__name__}")
    return found


def _read(read: Callable[..., Any], should: str, *given: object) -> Any:
    try:
        return read(*given)
    except Exception as error:  # noqa: BLE001  a team's method raises anything, and its text is secret
        raise _unusable(read, should, _raised(error)) from None


def _raised(error: Exception) -> str:
    """What a method raised, and the line of the method, if it was begun."""
    _, *own = traceback.extract_tb(error.__traceback__, limit=2)
    return f"raised {type(error).__name__}" + "".join(f" ({Path(at.filename).name}, line {at.lineno})" for at in own)


def _unusable(read: Callable[..., Any], should: str, what: str) -> ApiMalformedError:
    """The error of an answer that a method can't read, after a line in the log."""
    logger.error("the backend's answer can't be used: %s %s; it should give %s", _name(read), what, should)
    return ApiMalformedError("The backend's answer has not the expected shape.")


def _name(method: Callable[..., object]) -> str:
    owner = type(getattr(method, "__self__", None))
    return f"{owner.__module__}.{owner.__qualname__}.{getattr(method, '__name__', '')}"


#: Makes the contract's shape of an answer's JSON. It may raise `ApiMalformedError`.
AnswerReader: TypeAlias = Callable[[Any], Any]

_OF_EVERY_LIST: Final = frozenset({LIMIT_PARAM, CURSOR_PARAM, SEARCH_PARAM, SORT_PARAM})


@dataclass(frozen=True, slots=True, kw_only=True)
class WireCall:
    """A call as this backend has it.

    :param params: of the address; None for none.
    :param body: what is sent; None for none.
    :param read: of the answer's JSON.
    """

    path: str
    params: QueryParams | None = None
    body: Any = None
    read: AnswerReader


def wire_read(
    path: str, query: Mapping[str, str] | None = None, *, is_list: bool = False, id_field: str = ID_FIELD
) -> WireCall:
    """A GET.

    :param query: by the contract's names.
    :param is_list: whether it asks for a page of a list.
    :param id_field: the wire's name of what tells rows apart; a row that is read has it as `id` too.
    :raises UsageError: the backend's class gives no parameters.
    """
    backend = current_backend()
    if is_list:
        asked = _list_query(backend, path, query or {})
        read = partial(_page, backend, asked, id_field)
        return WireCall(path=path, params=build_list_params(backend, asked), read=read)
    params = split_query(backend, query or {}) or None
    if path == ME_PATH:
        return WireCall(path=backend.me_path, params=params, read=partial(read_profile, backend))
    return WireCall(path=path, params=params, read=partial(_row, id_field))


def wire_write(
    path: str, query: Mapping[str, str] | None = None, *, body: Any = None, id_field: str = ID_FIELD
) -> WireCall:
    """A write.

    :param body: its JSON, by the contract's names; None where it has none.
    :param id_field: as of :func:`wire_read`.
    :raises UsageError: the backend's class gives no body.
    """
    backend = current_backend()
    if path == AUTH_LOGIN_PATH:
        given = {"email": body.get(LOGIN_EMAIL_FIELD), "password": body.get(LOGIN_PASSWORD_FIELD)}
        sent = build_body(backend.build_sign_in, **given)
        return WireCall(path=backend.sign_in_path, body=sent, read=partial(read_tokens, backend))
    if path == AUTH_LOGOUT_PATH:
        sent = build_body(backend.build_sign_out, refresh_token=body.get(REFRESH_TOKEN_FIELD))
        return WireCall(path=backend.sign_out_path, body=sent, read=_as_it_came)
    params = split_query(backend, query or {}) or None
    if path == ME_PATH:
        return WireCall(path=backend.me_path, params=params, body=body, read=partial(read_profile, backend))
    renamed = {FORGOT_PASSWORD_PATH: backend.forgot_password_path, RESET_PASSWORD_PATH: backend.reset_password_path}
    return WireCall(path=renamed.get(path, path), params=params, body=body, read=partial(_row, id_field))


def _list_query(backend: Backend, path: str, query: Mapping[str, str]) -> ListQuery:
    filters = {name: value for name, value in query.items() if name not in _OF_EVERY_LIST}
    return ListQuery(
        path=path,
        limit=int(query[LIMIT_PARAM]),
        cursor=query.get(CURSOR_PARAM),
        search=query.get(SEARCH_PARAM),
        sort=query.get(SORT_PARAM),
        filters=split_query(backend, filters),
    )


def _page(backend: Backend, asked: ListQuery, id_field: str, body: Any) -> Any:
    page = read_page(backend, asked, body)
    rows = page.get(ITEMS_FIELD) if isinstance(page, dict) else None
    if id_field == ID_FIELD or not isinstance(rows, list):
        return page
    return page | {ITEMS_FIELD: [_row(id_field, row) for row in rows]}


def _row(id_field: str, row: Any) -> Any:
    """A row with its id by the contract's name too, beside its own: by that the cache tells rows apart."""
    if id_field == ID_FIELD or not isinstance(row, dict) or id_field not in row:
        return row
    return row | {ID_FIELD: row[id_field]}


def _as_it_came(body: Any) -> Any:
    return body

"""The one place where a call leaves the contract's shapes, and where its answer enters them.

The query layer gives a call by the contract's paths and names, and gets what goes over the wire, and what reads the
answer. A call that no part of the backend's class is about stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

from portal.api.backend.backend_class import Backend, ListQuery, current_backend
from portal.api.backend.checked_methods import (
    build_body,
    build_list_params,
    read_page,
    read_profile,
    read_tokens,
)
from portal.config.contract_names import (
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
    params: Mapping[str, str] | None = None
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
        asked = _list_query(path, query or {})
        params = build_list_params(backend, asked)
        return WireCall(path=path, params=params, read=partial(_page, backend, asked, id_field))
    if path == ME_PATH:
        return WireCall(path=backend.me_path, params=query or None, read=partial(read_profile, backend))
    return WireCall(path=path, params=query or None, read=partial(_row, id_field))


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
    if path == ME_PATH:
        return WireCall(path=backend.me_path, params=query or None, body=body, read=partial(read_profile, backend))
    renamed = {FORGOT_PASSWORD_PATH: backend.forgot_password_path, RESET_PASSWORD_PATH: backend.reset_password_path}
    return WireCall(path=renamed.get(path, path), params=query or None, body=body, read=partial(_row, id_field))


def _list_query(path: str, query: Mapping[str, str]) -> ListQuery:
    return ListQuery(
        path=path,
        limit=int(query[LIMIT_PARAM]),
        cursor=query.get(CURSOR_PARAM),
        search=query.get(SEARCH_PARAM),
        sort=query.get(SORT_PARAM),
        filters={name: value for name, value in query.items() if name not in _OF_EVERY_LIST},
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

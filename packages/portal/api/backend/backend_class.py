"""One class for a backend of another shape: `APP_BACKEND=acme.backend.AcmeBackend` (contract, section 7).

Every method has the contract's shapes as its default. A team derives a class and overrides what its backend does
otherwise; a name alone is an attribute. All layers above know the contract's shapes only. Elsewhere this seam is the
`dataProvider` of react-admin and Refine, `baseQuery` and `transformResponse` of RTK Query, `queryFn` of TanStack Query.

What a single resource has differently stands where it is declared: docs/how-to/use-another-backend.md.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, cast

from django.conf import settings

from portal.config import contract_names as names
from portal.config.limits import SETTLE_S
from portal.config.portal_config import PortalConfig
from portal.rows import JoinedValues

#: The parameters of an address. The texts of a list are sent repeated, in their order; None is left out.
QueryParams: TypeAlias = Mapping[str, "str | int | Sequence[str] | None"]


class FormBody(dict[str, str]):
    """A body of the type `application/x-www-form-urlencoded`. Any other dict is sent as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuery:
    """What one page of a list is asked for.

    :param path: of the list, below the backend's base address: a class may page one list otherwise than another.
    :param limit: rows of the page.
    :param cursor: `nextCursor` of the page before it, a text; None for the first page.
    :param search: the words that a row must contain; None for all rows.
    :param sort: a sort name of contract, section 7, or the resource's own; None for the list's own order.
    :param filters: all other parameters, by the names of the declared class of parameters. Several values of one have
        commas between them, or are a list where the class says `repeats_values`.
    """

    path: str
    limit: int
    cursor: str | None = None
    search: str | None = None
    sort: str | None = None
    filters: Mapping[str, str | Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendProblem:
    """What an answer that is no success says.

    :param status: what the contract answers with in this case. A class may change it: OAuth's 400 `invalid_grant` for a
        wrong password is 401 here.
    :param detail: a text for the user, in the backend's language; empty for none.
    :param errors: the messages of each field that was refused, by the backend's name of the field.
    """

    status: int
    detail: str = ""
    errors: Mapping[str, Sequence[str]] = field(default_factory=dict)


class Backend:
    """The backend of the contract. Derive from it to say what yours does otherwise.

    One instance serves all threads of a process: it keeps nothing between two calls. A `build_…` method makes what is
    sent, a `read_…` method makes the contract's shape of what came. A `read_…` method that meets something else may
    raise whatever Python raises: the answer then counts as one that can't be used, and the log names the method.
    """

    # --- paths, below the base address ---
    sign_in_path: str = names.AUTH_LOGIN_PATH
    #: Empty where the backend has no such call.
    sign_out_path: str = names.AUTH_LOGOUT_PATH
    refresh_path: str = names.REFRESH_PATH
    me_path: str = names.ME_PATH
    forgot_password_path: str = names.FORGOT_PASSWORD_PATH
    reset_password_path: str = names.RESET_PASSWORD_PATH

    # --- headers; empty for one that the backend does not know ---
    #: Without it `APP_API_HONOURS_IDEMPOTENCY_KEY` has no effect.
    idempotency_header: str = "Idempotency-Key"
    #: Of a write: the version of the row that it changes, in quotation marks. 412 where it is another by now.
    if_match_header: str = "If-Match"
    request_id_header: str = "X-Request-ID"
    #: The address of the browser for which the portal calls, so that users can tell their sign-ins apart.
    client_address_header: str = "X-Forwarded-For"

    # --- what it does ---
    #: For how long the answer of a refresh is kept under its key, seconds, where keys are honoured
    #: (`APP_API_HONOURS_IDEMPOTENCY_KEY`). A refresh whose answer was lost is presented again within this time alone.
    idempotency_window_s: float = 120.0
    #: A refresh gives a new refresh token each time. Where an answer names none, the old one stays, with a line in the
    #: log, or with False without.
    rotates_refresh_tokens: bool = True
    #: How far reads may be behind writes, seconds: a read replica some tenths of a second, a search index by default 1.
    #: 0 where every read shows every write at once (ADR 12).
    settle_s: float = SETTLE_S
    #: A cursor counts rows, as a page number or an offset does: a created or deleted row then moves all pages,
    #: and they are fetched again. The contract's cursor names a row.
    cursors_are_positions: bool = False
    #: A parameter that is declared to take several values (`Values`) is sent once for each: `status=a&status=b`, as for
    #: `list[str] = Query()` of FastAPI. False: commas stand between them, `status=a,b`.
    repeats_values: bool = False
    #: Names of what it offers beyond the required calls, where `APP_BACKEND_OFFERS` is unset; None for nothing.
    offers: frozenset[str] | None = None
    #: The language of what the backend writes for people, as HTML names it.
    language: str = "en"

    # --- names that the methods below use ---
    email_field: str = names.LOGIN_EMAIL_FIELD
    password_field: str = names.LOGIN_PASSWORD_FIELD
    access_token_field: str = names.ACCESS_TOKEN_FIELD
    refresh_token_field: str = names.REFRESH_TOKEN_FIELD
    cursor_param: str = names.CURSOR_PARAM
    limit_param: str = names.LIMIT_PARAM
    search_param: str = names.SEARCH_PARAM
    sort_param: str = names.SORT_PARAM
    items_field: str = names.ITEMS_FIELD
    has_next_field: str = names.HAS_NEXT_FIELD
    next_cursor_field: str = names.NEXT_CURSOR_FIELD
    total_field: str = names.TOTAL_FIELD

    @property
    def open_paths(self) -> frozenset[str]:
        """The calls that never carry a bearer: many backends refuse an expired one before they look at the body."""
        return frozenset({self.sign_in_path, self.refresh_path, self.forgot_password_path, self.reset_password_path})

    # --- sign-in ---

    def build_sign_in(self, *, email: str, password: str) -> Mapping[str, Any]:
        """The body of a sign-in: `{"email", "password"}`. A :class:`FormBody` is sent as a form."""
        return {self.email_field: email, self.password_field: password}

    def build_refresh(self, *, refresh_token: str) -> Mapping[str, Any]:
        """The body of a refresh: `{"refreshToken"}`."""
        return {self.refresh_token_field: refresh_token}

    def build_sign_out(self, *, refresh_token: str) -> Mapping[str, Any]:
        """The body of a sign-out: `{"refreshToken"}`."""
        return {self.refresh_token_field: refresh_token}

    def read_tokens(self, body: Any) -> Mapping[str, Any]:
        """The tokens in the answer to a sign-in or a refresh: `{"accessToken": text, "refreshToken": text or None}`."""
        return {
            names.ACCESS_TOKEN_FIELD: body[self.access_token_field],
            names.REFRESH_TOKEN_FIELD: body.get(self.refresh_token_field),
        }

    def read_profile(self, body: Any) -> Any:
        """The profile in the answer of `/me`: `{"id"?, "email"?, "name"?, "permissions": [text, …]}`."""
        return body

    def read_claims(self, claims: Mapping[str, Any]) -> Mapping[str, Any]:
        """The payload of an access token by the contract's names: `permissions` a list, `sub`, `primaryRole`.

        What RFC 7519 names (`exp`, `nbf`, `iat`) stays as it is.
        """
        return claims

    # --- lists ---

    def build_list_params(self, query: ListQuery) -> QueryParams:
        """The parameters of a page's address: `limit`, `cursor`, `q`, `sort`, and the filters. None is left out."""
        return {
            self.limit_param: query.limit,
            **query.filters,
            self.search_param: query.search,
            self.sort_param: query.sort,
            self.cursor_param: query.cursor,
        }

    def read_page(self, query: ListQuery, body: Any) -> Mapping[str, Any]:
        """A page of a list: `{"items": [row, …], "hasNext": bool, "nextCursor": text or None, "total": int or None}`.

        The portal takes `nextCursor` as it is, and gives it back as `query.cursor` for the page after this one.
        """
        if not isinstance(body, dict):
            return cast("Mapping[str, Any]", body)  # no page: the query layer says so
        del query
        own = {
            names.ITEMS_FIELD: self.items_field,
            names.HAS_NEXT_FIELD: self.has_next_field,
            names.NEXT_CURSOR_FIELD: self.next_cursor_field,
            names.TOTAL_FIELD: self.total_field,
        }
        if all(name == wire for name, wire in own.items()):
            return body
        return {name: body[wire] for name, wire in own.items() if wire in body}

    # --- errors ---

    def read_error(self, status: int, body: Any) -> BackendProblem:
        """What an answer that is no success says: by default of a problem document (RFC 9457) with `errors`.

        401 in answer to a sign-in is a wrong password, and so is 422 for its own fields alone. 400, 401, 403 and 422 in
        answer to a refresh end the sign-in.

        :param body: its JSON; None where it is none.
        """
        problem = body if isinstance(body, dict) else {}
        texts = (problem.get(name) for name in (names.PROBLEM_DETAIL_FIELD, names.PROBLEM_TITLE_FIELD))
        detail = next((text for text in texts if isinstance(text, str)), "")
        return BackendProblem(status=status, detail=detail, errors=problem.get(names.PROBLEM_ERRORS_FIELD) or {})


CONTRACT: Final = Backend()


def current_backend() -> Backend:
    """Return the backend that `APP_BACKEND` names; without it, the contract's."""
    return backend_of(settings.PORTAL)


def backend_of(config: PortalConfig) -> Backend:
    """The backend of a configuration."""
    return CONTRACT if config.backend is None else cast("Backend", config.backend)


#: A switch of their own declares these: `APP_PASSWORD_RESET`.
PASSWORD_RESET: Final = frozenset({"auth.forgot_password", "auth.reset_password"})


def is_named(name: str) -> bool:
    """Return whether the declaration of offers has a name."""
    config: PortalConfig = settings.PORTAL
    if name in PASSWORD_RESET:
        return config.offers_password_reset
    return name in (named := config.offers or ()) or names.EVERYTHING in named


def honours_idempotency_key(config: PortalConfig) -> bool:
    """Whether a write that may have arrived can be sent again under its key: the backend gets a key, and honours it."""
    return config.honours_idempotency_key and bool(backend_of(config).idempotency_header)


#: One of several values, from the separator before it on; a separator or escape that belongs to it is escaped.
_VALUE: Final = re.compile(r"(?:^|,)((?:[^,\\]|\\.)*)", re.DOTALL)


def split_values(text: str) -> list[str]:
    """The values of a filter that takes several: `a,b` → `a` and `b`. A comma within a value has a backslash before."""
    return [re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL) for value in _VALUE.findall(text)]


def split_query(backend: Backend, query: Mapping[str, str]) -> Mapping[str, str | Sequence[str]]:
    """Return the parameters as the backend takes them: those that are declared to take several values as a list each.

    Only where the backend's class says `repeats_values`.
    """
    if not backend.repeats_values:
        return query
    return {name: split_values(text) if isinstance(text, JoinedValues) else text for name, text in query.items()}

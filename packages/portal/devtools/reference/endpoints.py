"""The page with the calls that the services declare, and what a backend may lack of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, get_args, get_origin, is_typeddict

import msgspec

from portal.config.contract_names import (
    COUNTS_BY_PARAM,
    COUNTS_SEGMENT,
    CURSOR_PARAM,
    HAS_NEXT_FIELD,
    ID_FIELD,
    ITEMS_FIELD,
    LIMIT_PARAM,
    NEXT_CURSOR_FIELD,
    PROFILE_PERMISSIONS_FIELD,
    SEARCH_PARAM,
    SORT_PARAM,
    TOTAL_FIELD,
)
from portal.query import DeclaredMutation, ListParams, Partial, Row
from portal.services.endpoint_list import all_entries, declared_hooks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from portal.query import Endpoint

PAGE: Final = "docs/reference/endpoints.md"
#: Fields that are required of an answer that is neither a list nor a row.
_REQUIRED_FIELDS: Final = {
    "user.get_me": (PROFILE_PERMISSIONS_FIELD,),
    "auth.login": ("accessToken", "refreshToken"),
}
_PAGE_FIELDS: Final = (ITEMS_FIELD, HAS_NEXT_FIELD, NEXT_CURSOR_FIELD)

_INTRODUCTION: Final = """\
The calls that the portal declares; the backend may have more, and a page can use only these ([add a
resource](../how-to/add-a-resource.md)). Hooks stand below `portal.services`. What a backend has to have of them, and
what pages do without the rest: [below](#what-a-backend-has-to-have). `./manage.py update_reference` writes this page.
"""

_HAS_TO_HAVE: Final = """\
## What a backend has to have

A call with a sentence in the last column is optional: where the backend does not have it, pages do without it, and it
is not called again for ten minutes (contract, section 7). So is each parameter and each field in the third column. A
parameter that the backend ignores or refuses is not offered, and rows that contradict it are not shown. A field that
is missing is shown as missing. `./manage.py --app energy doctor --token-file FILE` says which of all this a backend has.

| call | the requirements ask for | we use, where it is there | without the call |
|---|---|---|---|
"""

#: What no declaration says.
_BEYOND: Final = """\
## What goes beyond the contract's list

| the portal also uses | without it |
|---|---|
| `total` in a page of a list | no line "… entries in all"; an overview without a summary shows "–" |
| several values of a filter, with commas between them | a filter of several values shows no rows |
| `version` of a row, `If-Match` with PATCH and DELETE | of two changes of one field the later one stays, and nobody is \
told; an edit can't be undone |
| `Idempotency-Key` with each mutation and with POST `/refresh`; `APP_API_HONOURS_IDEMPOTENCY_KEY` says that the \
backend honours it | a POST that may have arrived is not sent again: who submits a form once more may do it twice, and \
a lost refresh ends the sign-in. PATCH and DELETE are tried once more in both cases |
| `X-Request-ID` with each call | the backend's log can't be searched for what a user reports |
| `Accept-Encoding: gzip, deflate` | answers come as they are |
| `from`, `to`, `timeZone` of a summary, and its `period`, `current`, `before`, `series` | no choice of a period and no \
comparison; the charts show twelve months |
| POST `/auth/forgot-password`: 202 whether or not there is such an account; POST `/auth/reset-password`: 204, and all \
sign-ins of the account end, 422 for a token that is not good any more | leave `APP_PASSWORD_RESET` off: the sign-in \
page offers no new password |
| `completedAt` in a PATCH of a work order | undoing "Reopen" makes it done anew, at the time of the undo |
| `readings` of one meter | its page has no chart |
"""


def markdown() -> str:
    """The declared calls, by domain; then what is required, and what pages do without the rest."""
    entries = all_entries()
    parts = ["# Endpoints\n", _INTRODUCTION]
    for domain in sorted({entry.key.partition(".")[0] for entry in entries}):
        parts.append(f"## {domain}\n\n| call | hook | types | cached queries |\n|---|---|---|---|")
        parts += [
            f"| {entry.method} `{entry.path}` | `{entry.hook}`<br>`{entry.key}` | {'<br>'.join(entry.types)} |"
            f" {'<br>'.join(entry.effects)} |"
            for entry in entries
            if entry.key.startswith(f"{domain}.")
        ]
        parts.append("")
    refresh = "| POST `/refresh` | the call; `refreshToken`; `accessToken`, `refreshToken` | | |"
    return "\n".join([*parts, _HAS_TO_HAVE + "\n".join([*_rows(), refresh, ""]), _BEYOND])


def _rows() -> Iterator[str]:
    """A row for each call: the required ones first."""
    for hook in sorted(declared_hooks(), key=lambda hook: hook.is_optional):
        method = hook.method if isinstance(hook, DeclaredMutation) else "GET"
        asked = "" if hook.is_optional else "; ".join(["the call", *_required(hook)])
        used = "<br>".join([*(["the call"] if hook.is_optional else []), *_optional(hook)])
        yield f"| {method} `{hook.path_shape}` | {asked} | {used} | {hook.without} |"


def _required(hook: Endpoint[Any]) -> list[str]:
    """What the call is of no use without."""
    if _is_list(hook):
        return [_names([CURSOR_PARAM, LIMIT_PARAM]), _names(_PAGE_FIELDS), f"`{ID_FIELD}` of each row"]
    if hook.key in _REQUIRED_FIELDS:
        return [*filter(None, [_sent(hook)]), _names(_REQUIRED_FIELDS[hook.key])]
    return [f"`{ID_FIELD}` of the row"] if _is_subclass(_answer(hook), Row) else []


def _optional(hook: Endpoint[Any]) -> list[str]:
    """The parameters and the fields that pages use where they are there."""
    is_list, path = _is_list(hook), hook.path_shape
    # Of all lists, under names of the hooks.
    own = {"q", "sort", "pages", "cursor"} if _is_subclass(hook.params, ListParams) else set()
    params = [name for name in _fields(hook.params) if name not in own and f"{{{name}}}" not in path]
    if is_list:
        params = [SEARCH_PARAM, SORT_PARAM, *params]
    if path.endswith(f"/{COUNTS_SEGMENT}"):
        params = [COUNTS_BY_PARAM, *(name for name in params if name != COUNTS_BY_PARAM)]
    required = {ID_FIELD} if _is_subclass(_answer(hook), Row) else set(_REQUIRED_FIELDS.get(hook.key, ()))
    fields = [name for name in _fields(_answer(hook)) if name not in required]
    told = [f"parameters: {_names(params)}"] if params else []
    if isinstance(hook, DeclaredMutation):
        return told + ([f"fields that it sends: {_sent(hook)}"] if hook.is_optional and _sent(hook) else [])
    if is_list:
        told.append(f"`{TOTAL_FIELD}`")
    return told + ([f"fields: {_names(fields)}"] if fields else [])


def _sent(hook: Endpoint[Any]) -> str:
    """The fields of the body, where it is no row: a row's fields stand beside its list."""
    body = hook.body if isinstance(hook, DeclaredMutation) else None
    return "" if get_origin(body) is Partial else _names(_fields(body))


def _is_list(hook: Endpoint[Any]) -> bool:
    return bool(getattr(hook, "is_list", False))


def _answer(hook: Any) -> Any:
    return hook.item if _is_list(hook) else hook.data


def _fields(kind: Any) -> list[str]:
    """The names on the wire of a record, of parameters or of a TypedDict; none of any other type."""
    kind = get_args(kind)[0] if get_origin(kind) is Partial else kind
    if is_typeddict(kind):
        return list(kind.__annotations__)
    return [info.encode_name for info in msgspec.structs.fields(kind)] if _is_subclass(kind, msgspec.Struct) else []


def _is_subclass(kind: Any, base: type[Any]) -> bool:
    return isinstance(kind, type) and issubclass(kind, base)


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)

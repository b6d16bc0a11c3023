"""The page with the calls that the services declare, and what a backend may lack of them."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, get_args, get_origin, is_typeddict

import msgspec

from portal.config.contract_names import (
    CURSOR_PARAM,
    HAS_NEXT_FIELD,
    ID_FIELD,
    ITEMS_FIELD,
    LIMIT_PARAM,
    NEXT_CURSOR_FIELD,
    OF_A_LIST,
    PROFILE_PERMISSIONS_FIELD,
    SEARCH_PARAM,
    SORT_PARAM,
    TOTAL_FIELD,
)
from portal.query import DeclaredMutation, ListParams, Partial, Row
from portal.services.endpoint_list import declared_hooks
from portal.services.service_imports import service_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from portal.query import Endpoint

PAGE: Final = "docs/reference/endpoints.md"
#: Fields that are required of an answer that is neither a list nor a row.
_REQUIRED_FIELDS: Final = {
    "user.get_me": (PROFILE_PERMISSIONS_FIELD,),
    "auth.login": ("accessToken", "refreshToken"),
}
#: What so many calls say of a page without them is said once.
_USUAL: Final = 3
_PAGE_FIELDS: Final = (ITEMS_FIELD, HAS_NEXT_FIELD, NEXT_CURSOR_FIELD)

_INTRODUCTION: Final = """\
The calls that the portal declares, with their hooks below `portal.services`. A page can use only these. To have more: [add a
resource](../how-to/add-a-resource.md), [one more call](../how-to/add-a-resource.md#one-more-call).

## What a backend has to have

A backend must have the calls marked **Required**, with the parameters and fields behind this word. "Without" says what pages do without an optional
call; if nothing is said: {usual} All other parameters and fields are optional too: a missing one is not offered, or shown as missing.
More: [what we ask of a backend](what-we-ask-of-a-backend.md). Calls that end in `/counts` take `by` and the list's parameters, those in `/totals` `of`.
"""
_REFRESH: Final = "- POST `/refresh`. **Required**: `refreshToken`; `accessToken`, `refreshToken`"


def markdown() -> str:
    """The declared calls, by domain."""
    declared = declared_hooks()
    usual = [text for text, count in Counter(hook.without for hook in declared).items() if text and count >= _USUAL]
    parts = ["# Endpoints\n", _INTRODUCTION.replace("{usual}", " ".join(usual))]
    for domain, hooks in groupby(declared, key=lambda hook: hook.key.partition(".")[0]):
        parts += [f"## {domain}\n", *_rows(list(hooks), usual), *([_REFRESH] if domain == "auth" else []), ""]
    return "\n".join(parts)


def _rows(hooks: list[Endpoint[Any]], usual: list[str]) -> Iterator[str]:
    """An item for each call. What a list has said, its counts and the calls of its rows do not say again."""
    lists = {hook.path_shape: hook for hook in hooks if _is_list(hook)}
    for hook in hooks:
        method = hook.method if isinstance(hook, DeclaredMutation) else "GET"
        of_list = lists.get(hook.path_shape.rpartition("/")[0])
        without = (
            ("" if hook.without in usual or not hook.without else f"Without: {hook.without}")
            if hook.is_optional
            else f"**Required**: {'; '.join(_required(hook))}".removesuffix(": ")
        )
        name = (service_name(hook.hook_name) or hook.hook_name).removeprefix(f"{hook.key.partition('.')[0]}.")
        said = f"- {method} `{hook.path_shape}`, `{name}`"
        used = "; ".join(_optional(hook, of_list))
        yield ". ".join(filter(None, [f"{said}: {used}" if used else said, without]))


def _required(hook: Endpoint[Any]) -> list[str]:
    """What the call is of no use without."""
    if _is_list(hook):
        return [f"?{_names([CURSOR_PARAM, LIMIT_PARAM])}", _names(_PAGE_FIELDS), f"`{ID_FIELD}` of each row"]
    if hook.key in _REQUIRED_FIELDS:
        return [*filter(None, [_sent(hook)]), _names(_REQUIRED_FIELDS[hook.key])]
    return [f"`{ID_FIELD}` of the row"] if _is_subclass(_answer(hook), Row) else []


def _optional(hook: Endpoint[Any], of_list: Endpoint[Any] | None) -> list[str]:
    """The parameters and the fields that pages use where they are there, beyond those of the list that has the rows."""
    said = _fields(_answer(of_list)) if of_list else []
    if hook.path_shape.rpartition("/")[2] in OF_A_LIST:
        return []  # said once, above
    # Of all lists, under names of the hooks.
    own = {"q", "sort", "pages", "cursor"} if _is_subclass(hook.params, ListParams) else set()
    params = [name for name in _fields(hook.params) if name not in own and f"{{{name}}}" not in hook.path_shape]
    if isinstance(hook, DeclaredMutation):
        return [*filter(None, [_names(params), f"sends {_sent(hook)}" if hook.is_optional and _sent(hook) else ""])]
    if _is_list(hook):
        params = [SEARCH_PARAM, SORT_PARAM, *params]
    required = {ID_FIELD} if _is_subclass(_answer(hook), Row) else set(_REQUIRED_FIELDS.get(hook.key, ()))
    fields = [name for name in _fields(_answer(hook)) if name not in required and name not in said]
    fields += [TOTAL_FIELD] if _is_list(hook) else []
    return [*filter(None, [f"?{_names(params)}" if params else "", _names(fields)])]


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

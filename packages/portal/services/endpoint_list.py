"""All endpoints that the services declare, as data: for the command, the reference page and the tests."""

from __future__ import annotations

from dataclasses import dataclass
from types import UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

from portal.query import REGISTRY, DeclaredMutation, DeclaredQuery
from portal.services.service_imports import import_services

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.query import Endpoint

_SERVICES = "portal.services."
#: The end of the reference page: what a backend may leave out.
_BEYOND = """\
## What goes beyond the contract's list

A backend that has only the calls of contract, section 7, serves all pages; these show less:

| the portal also asks for | without it |
|---|---|
| GET `/energy/summary`, `/operations/summary`, `/finance/summary` | 404 or 410: the overview shows the lists' \
own totals, and no charts. Any other failure is the overview's page |
| `from`, `to`, `timeZone` of the summaries, and their `period`, `current`, `before`, `series` | no choice of a \
period and no comparison; the charts show twelve months |
| GET `/energy/state` | the chargers as the summary counts them, which do not renew themselves |
| `total` in a list's page | no line "… entries in all"; an overview without a summary shows "–" |
| GET `<list>/counts` | 404 or 410: no numbers beside the filters |
| filters and ranges of lists, the parameters that a type of `params` has beside `q` and `sort` | a backend that \
ignores one gives the unfiltered list |
| several values of a filter, with commas between them | a list that is filtered by several values is empty |
| POST `/auth/forgot-password`: `{"email"}`, 202 whether or not there is such an account; POST `/auth/reset-password`: \
`{"token", "password"}`, 204, and all sign-ins of the account end, 422 for a token that is not good any more | leave \
`APP_PASSWORD_RESET` off: the sign-in page offers no new password |
| PATCH `/me`: `{"name"}`, the same answer as GET | the profile's form for the name fails |
| `version` of a row, `If-Match` with PATCH and DELETE | the last change wins, without a word |
| GET `/operations/stations` | a work order can't be given a station |
| `completedAt` in a PATCH of a work order | undoing "Reopen" makes it done anew, at the time of the undo |
| `dueAt` of a work order, `netAmount`, `vatAmount` and `vatRate` of an invoice | they are not shown |
| `readings` of one meter | its page has no chart |
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One declared endpoint.

    :param hook: module below `portal.services`, class and attribute.
    :param types: `role: type` for each part of the call and of the response.
    :param effects: what it changes in cached queries.
    """

    method: str
    path: str
    key: str
    hook: str
    types: tuple[str, ...]
    effects: tuple[str, ...] = ()


def declared_hooks() -> list[Endpoint[Any]]:
    """Every hook of the services that can be imported, by domain, path and method."""
    import_services()
    declared: list[Endpoint[Any]] = [*REGISTRY.queries.values(), *REGISTRY.mutations.values()]
    hooks = [hook for hook in declared if hook.hook_name.startswith(_SERVICES)]
    return sorted(hooks, key=lambda hook: (hook.key.partition(".")[0], hook.path_shape, _method(hook), hook.key))


def all_entries() -> list[Entry]:
    """Every endpoint of the services, by domain, path and method."""
    return [_entry(hook) for hook in declared_hooks()]


def as_lines(entries: Sequence[Entry]) -> str:
    """The entries as a plain table."""
    rows = [("METHOD", "PATH", "KEY", "HOOK"), *((e.method, e.path, e.key, e.hook) for e in entries)]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = ("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def as_markdown(entries: Sequence[Entry]) -> str:
    """The entries as the reference page `docs/reference/endpoints.md`."""
    parts = [
        "# Endpoints\n",
        (
            "The calls that the portal declares; the backend may have more, and a page can use only these ([add a"
            " resource](../how-to/add-a-resource.md)). Hooks stand below `portal.services`. Written by `./manage.py"
            " --app energy list_endpoints --markdown --output docs/reference/endpoints.md`; a test compares.\n"
        ),
    ]
    domains = sorted({entry.key.partition(".")[0] for entry in entries})
    for domain in domains:
        parts.append(f"## {domain}\n\n| call | hook | types | cached queries |\n|---|---|---|---|")
        parts += [
            f"| {entry.method} `{entry.path}` | `{entry.hook}`<br>`{entry.key}` | {'<br>'.join(entry.types)} |"
            f" {'<br>'.join(entry.effects)} |"
            for entry in entries
            if entry.key.startswith(f"{domain}.")
        ]
        parts.append("")
    return "\n".join([*parts, _BEYOND.removesuffix("\n")])


def _entry(hook: Endpoint[Any]) -> Entry:
    effects: tuple[str, ...] = ()
    if isinstance(hook, DeclaredQuery):
        effects = tuple(f"has the tag `{tag}`" for tag in hook.tags)
    if isinstance(hook, DeclaredMutation):
        effects = (
            *(f"{helper.effect} `{helper.target}`" for helper in hook.helpers),
            *(f"sets `{answer.target}`" for answer in hook.answers),
            *(f"invalidates `{invalidation.target}`" for invalidation in hook.invalidations),
            *(f"invalidates the tag `{tag}`" for tag in hook.invalidated_tags),
        )
    return Entry(
        method=_method(hook),
        path=hook.path_shape,
        key=hook.key,
        hook=hook.hook_name.removeprefix(_SERVICES),
        types=tuple(f"{role}: {_type_name(kind)}" for role, kind in hook.declared_types.items()),
        effects=effects,
    )


def _type_name(kind: object) -> str:
    """The name of a type, such as `Client` or `Partial[Client]`. No `|`: it would end the cell of a table."""
    if get_origin(kind) in {Union, UnionType}:
        return " or ".join(map(_type_name, get_args(kind))).replace("NoneType", "None")
    name, parts = getattr(kind, "__name__", str(kind)), get_args(kind)
    return f"{name}[{', '.join(map(_type_name, parts))}]" if parts else name


def _method(hook: Endpoint[Any]) -> str:
    return hook.method if isinstance(hook, DeclaredMutation) else "GET"

"""The page with the calls that the services declare."""

from __future__ import annotations

from typing import Final

from portal.services.endpoint_list import all_entries

PAGE: Final = "docs/reference/endpoints.md"
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


_INTRODUCTION: Final = """\
The calls that the portal declares; the backend may have more, and a page can use only these ([add a
resource](../how-to/add-a-resource.md)). Hooks stand below `portal.services`. `./manage.py update_reference`
writes this page.
"""


def markdown() -> str:
    """The declared calls, by domain."""
    entries = all_entries()
    parts = [
        "# Endpoints\n",
        _INTRODUCTION,
    ]
    for domain in sorted({entry.key.partition(".")[0] for entry in entries}):
        parts.append(f"## {domain}\n\n| call | hook | types | cached queries |\n|---|---|---|---|")
        parts += [
            f"| {entry.method} `{entry.path}` | `{entry.hook}`<br>`{entry.key}` | {'<br>'.join(entry.types)} |"
            f" {'<br>'.join(entry.effects)} |"
            for entry in entries
            if entry.key.startswith(f"{domain}.")
        ]
        parts.append("")
    return "\n".join([*parts, _BEYOND])

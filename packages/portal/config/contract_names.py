"""The names of the contract (section 7), by which all of the portal speaks of the backend's calls and answers.

No backend changes them. One that names or shapes something otherwise has a class that turns it into these:
:class:`portal.api.Backend`. What belongs to one resource alone (its address, the fields of its rows, its own filters
and sort names) stands with its declaration in `portal.services`: docs/how-to/use-another-backend.md.
"""

from types import MappingProxyType
from typing import Final

# --- sign-in ---
AUTH_LOGIN_PATH: Final = "/auth/login"
AUTH_LOGOUT_PATH: Final = "/auth/logout"
FORGOT_PASSWORD_PATH: Final = "/auth/forgot-password"  # noqa: S105  a path
RESET_PASSWORD_PATH: Final = "/auth/reset-password"  # noqa: S105  a path
REFRESH_PATH: Final = "/refresh"
ME_PATH: Final = "/me"
LOGIN_EMAIL_FIELD: Final = "email"
LOGIN_PASSWORD_FIELD: Final = "password"  # noqa: S105  a field's name, not a password
ACCESS_TOKEN_FIELD: Final = "accessToken"  # noqa: S105  a field's name
REFRESH_TOKEN_FIELD: Final = "refreshToken"  # noqa: S105  a field's name
#: Calls that never carry the bearer: many backends refuse an expired one before they look at the body.
PATHS_WITHOUT_BEARER: Final = frozenset({AUTH_LOGIN_PATH, REFRESH_PATH, FORGOT_PASSWORD_PATH, RESET_PASSWORD_PATH})

# --- profile and claims ---
PROFILE_ID_FIELD: Final = "id"
PROFILE_NAME_FIELD: Final = "name"
PROFILE_EMAIL_FIELD: Final = "email"
PROFILE_PERMISSIONS_FIELD: Final = "permissions"
#: The first of these claims that is present decides.
PERMISSION_CLAIMS: Final = ("permissions", "Permissions")
PRIMARY_ROLE_CLAIM: Final = "primaryRole"
SUBJECT_CLAIM: Final = "sub"

# --- lists ---
ITEMS_FIELD: Final = "items"
HAS_NEXT_FIELD: Final = "hasNext"
NEXT_CURSOR_FIELD: Final = "nextCursor"
#: How many rows match in all. Pages show it where it is there, and nothing else depends on it.
TOTAL_FIELD: Final = "total"
CURSOR_PARAM: Final = "cursor"
LIMIT_PARAM: Final = "limit"
#: What hooks and the addresses of pages call `q` and `sort`.
SEARCH_PARAM: Final = "q"
SORT_PARAM: Final = "sort"
#: In place of the names of what a backend offers: all of them.
EVERYTHING: Final = "*"
#: The values of `sort` that every list knows; a list without `sort` is newest first.
SORT_NEWEST_FIRST: Final = "-createdAt"
SORT_OLDEST_FIRST: Final = "createdAt"
SORT_BY_NAME: Final = "name"
SORT_BY_NAME_DESCENDING: Final = "-name"

#: Between the values of a filter that takes several, as OpenAPI has it with `style: form` and `explode: false`.
VALUES_SEPARATOR: Final = ","
#: Before a separator that belongs to a value, and before itself.
VALUES_ESCAPE: Final = "\\"
#: The value of a filter that stands for rows without any.
NONE_VALUE: Final = "none"
#: The parameters that limit a time: `startedAtFrom` is its first moment, `startedAtTo` the first moment after it.
FROM_SUFFIX: Final = "From"
TO_SUFFIX: Final = "To"
#: How many rows have each value of a field: GET `<list>/counts?by=status,city`, with the parameters of the list.
COUNTS_SEGMENT: Final = "counts"
COUNTS_BY_PARAM: Final = "by"
#: What the figures of a list's rows add up to: GET `<list>/totals?of=amount`, with the parameters of the list.
TOTALS_SEGMENT: Final = "totals"
TOTALS_OF_PARAM: Final = "of"
#: What belongs to a list: the end of its path, with the parameter that the declaration gives, and no user.
OF_A_LIST: Final = MappingProxyType({COUNTS_SEGMENT: COUNTS_BY_PARAM, TOTALS_SEGMENT: TOTALS_OF_PARAM})
#: The history of a row: GET `<list>/<id>/activity`; a POST there writes a note. POST `<list>/<id>/restore`.
ACTIVITY_SEGMENT: Final = "activity"
RESTORE_SEGMENT: Final = "restore"

# --- rows of all resources ---
#: Tells rows apart, and names one in its address. `portal.query.Row` has it as its attribute `id`.
ID_FIELD: Final = "id"
CREATED_AT_FIELD: Final = "createdAt"
#: A whole number that each change of a row raises.
VERSION_FIELD: Final = "version"

# --- problems ---
PROBLEM_DETAIL_FIELD: Final = "detail"
PROBLEM_TITLE_FIELD: Final = "title"
PROBLEM_ERRORS_FIELD: Final = "errors"

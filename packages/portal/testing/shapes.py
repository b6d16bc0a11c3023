"""Bodies of a backend's responses, shaped as in contract, section 7. Field names: `portal.config.contract_names`."""

from collections.abc import Mapping, Sequence
from typing import Any

from portal.config.contract_names import (
    HAS_NEXT_FIELD,
    ITEMS_FIELD,
    NEXT_CURSOR_FIELD,
    PROBLEM_DETAIL_FIELD,
    PROBLEM_ERRORS_FIELD,
    PROBLEM_TITLE_FIELD,
    PROFILE_EMAIL_FIELD,
    PROFILE_ID_FIELD,
    PROFILE_NAME_FIELD,
    PROFILE_PERMISSIONS_FIELD,
    TOTAL_FIELD,
)


def profile_of(account: str, *permissions: str, **fields: Any) -> dict[str, Any]:
    """The response of GET `/me`: Ada Lovelace, with this id and these permissions.

    :param fields: further fields, or others in place of the default ones.
    """
    profile: dict[str, Any] = {
        PROFILE_ID_FIELD: account,
        PROFILE_EMAIL_FIELD: "ada@example.com",
        PROFILE_NAME_FIELD: "Ada Lovelace",
        PROFILE_PERMISSIONS_FIELD: list(permissions),
    }
    return profile | fields


def page_of(
    rows: Sequence[Mapping[str, Any]], *, next_cursor: str | None = None, total: int | None = None
) -> dict[str, Any]:
    """One page of a list.

    :param next_cursor: where the next page begins; None on the last page.
    :param total: how many rows the whole list has; by default as many as this page.
    """
    return {
        ITEMS_FIELD: [dict(row) for row in rows],
        HAS_NEXT_FIELD: next_cursor is not None,
        NEXT_CURSOR_FIELD: next_cursor,
        TOTAL_FIELD: len(rows) if total is None else total,
    }


def problem_of(status: int, *, detail: str = "", errors: Mapping[str, Sequence[str]] | None = None) -> dict[str, Any]:
    """An `application/problem+json` document.

    :param errors: field to its messages, as a 422 has them.
    """
    problem: dict[str, Any] = {
        "type": "about:blank",
        PROBLEM_TITLE_FIELD: f"Status {status}",
        "status": status,
        PROBLEM_DETAIL_FIELD: detail,
    }
    if errors is not None:
        problem[PROBLEM_ERRORS_FIELD] = {field: list(messages) for field, messages in errors.items()}
    return problem

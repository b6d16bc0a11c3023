"""The caller's own sign-ins, on all devices. The wire calls them sessions."""

from __future__ import annotations

from typing import Final

from portal.query import ListParams, MutationGroup, QueryGroup, RowParams, mutation_endpoint, paginated_query_endpoint
from portal.services.rows import Row, row_url

PATH: Final = "/iam/auth/sessions"


class ActiveSignIn(Row, total=False):
    """One sign-in; `current` marks the sign-in whose token sent the request."""

    createdAt: str
    lastUsedAt: str
    userAgent: str
    current: bool


class SignInQueries(QueryGroup):
    """`use_get_sign_ins_query`."""

    # `current` depends on the token that asks, and cached responses are shared by all tokens of a user.
    use_get_sign_ins_query = paginated_query_endpoint(item=ActiveSignIn, params=ListParams, url=PATH, cache=False)


class SignInMutations(MutationGroup):
    """`use_end_sign_in_mutation`."""

    use_end_sign_in_mutation = mutation_endpoint(
        params=RowParams, url=row_url(PATH), method="DELETE"
    ).remove_from_paginated_list(
        list_query_key=SignInQueries.use_get_sign_ins_query,
        get_deleted_id=lambda variables: variables.params["id"],
    )

"""Accounts and their permissions; only for callers with `IAM_ADMIN`."""

from __future__ import annotations

from typing import Final, TypedDict

from portal.query import (
    ListParams,
    MutationGroup,
    QueryGroup,
    RowParams,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
)
from portal.services.rows import Row, row_url, stays_in_place
from portal.services.user import UserQueries

PATH: Final = "/iam/accounts"


class Account(Row, total=False):
    """Someone who can sign in."""

    email: str
    name: str
    permissions: list[str]
    createdAt: str


class AccountUpdateReq(TypedDict):
    """The permissions that the account has from now on."""

    permissions: list[str]


class AccountQueries(QueryGroup):
    """`use_get_accounts_query` and `use_get_account_query`."""

    use_get_accounts_query = paginated_query_endpoint(item=Account, params=ListParams, url=PATH)
    use_get_account_query = query_endpoint(data=Account, params=RowParams, url=row_url(PATH))


class AccountMutations(MutationGroup):
    """`use_update_account_mutation`."""

    use_update_account_mutation = (
        mutation_endpoint(data=Account, body=AccountUpdateReq, params=RowParams, url=row_url(PATH), method="PATCH")
        .merge_updated_in_paginated_list(
            list_query_key=AccountQueries.use_get_accounts_query,
            select_list_item=lambda account: account,
            matches=stays_in_place,
        )
        .invalidates(query_key=AccountQueries.use_get_account_query, get_params=lambda variables: variables.params)
        # It may be the caller's own account.
        .invalidates(query_key=UserQueries.use_get_me_query)
    )

"""Accounts and their permissions; only for callers with `IAM_ADMIN`."""

from typing import Literal

from portal.config.contract_names import VERSION_FIELD
from portal.query import CommonSort, ListParams, MutationGroup, QueryGroup, Row, Values, field, resource
from portal.services.user import UserQueries


class Account(Row):
    """Someone who can sign in."""

    email: str = ""
    name: str = ""
    permissions: tuple[str, ...] = ()
    version: int | None = field(default=None, name=VERSION_FIELD)

    def __str__(self) -> str:
        """The name, or the address of an account without one."""
        return self.name or self.email or self.id


class AccountsListParams(ListParams):
    """Of `permission` an account has one of the values among its own."""

    sort: CommonSort | Literal["email", "-email"] | None = None
    permission: Values | None = None


# A changed account may be the caller's own.
_accounts = resource(
    "/iam/accounts",
    item=Account,
    params=AccountsListParams,
    optional=True,
    filter_fields={"permission": "permissions"},
    invalidates=[UserQueries.use_get_me_query],
)


class AccountQueries(QueryGroup):
    """`use_get_accounts_query`, `use_get_accounts_counts_query` and `use_get_account_query`."""

    use_get_accounts_query = _accounts.list
    use_get_accounts_counts_query = _accounts.counts
    use_get_account_query = _accounts.detail


class AccountMutations(MutationGroup):
    """`use_update_account_mutation`."""

    use_update_account_mutation = _accounts.update

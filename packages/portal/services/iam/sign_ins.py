"""The caller's own sign-ins, on all devices. The wire calls them sessions."""

from datetime import datetime
from typing import Literal

from portal.query import CommonSort, ListParams, MutationGroup, QueryGroup, Row, resource


class ActiveSignIn(Row):
    """One sign-in; `current` marks the sign-in whose token sent the request."""

    last_used_at: datetime | None = None
    user_agent: str = ""
    ip_address: str = ""
    place: str | None = None
    current: bool = False


class SignInsListParams(ListParams):
    """Which sign-ins."""

    sort: CommonSort | Literal["lastUsedAt", "-lastUsedAt"] | None = None


# `current` depends on the token that asks, and cached responses are shared by all tokens of a user.
_sign_ins = resource(
    "/iam/auth/sessions",
    item=ActiveSignIn,
    params=SignInsListParams,
    cache=False,
    optional=True,
)


class SignInQueries(QueryGroup):
    """`use_get_sign_ins_query`."""

    use_get_sign_ins_query = _sign_ins.list


class SignInMutations(MutationGroup):
    """`use_end_sign_in_mutation`."""

    use_end_sign_in_mutation = _sign_ins.delete

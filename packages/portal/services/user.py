"""The signed-in user's profile, which is authoritative (requirements, "Profile")."""

from __future__ import annotations

from typing import TypedDict

from portal.config.wire_names import ME_PATH
from portal.query import QueryGroup, query_endpoint


class Profile(TypedDict, total=False):
    """Who is signed in, and what they may open: JSON as it came, since it decides."""

    id: str
    email: str
    name: str
    permissions: list[str]


class UserQueries(QueryGroup):
    """`use_get_me_query`."""

    # It decides what the user may open, and binds the token to its user.
    use_get_me_query = query_endpoint(data=Profile, url=ME_PATH, stale_while_revalidate=False)

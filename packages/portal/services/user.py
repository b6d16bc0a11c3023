"""The signed-in user's profile, which is authoritative (requirements, "Profile")."""

from typing import TypedDict

from portal.config.contract_names import ME_PATH
from portal.query import MutationGroup, QueryGroup, mutation_endpoint, query_endpoint


class Profile(TypedDict, total=False):
    """Who is signed in, and what they may open: JSON as it came, since it decides."""

    id: str
    email: str
    name: str
    permissions: list[str]


class ProfileChanges(TypedDict):
    """What users can change about themselves."""

    name: str


class UserQueries(QueryGroup):
    """`use_get_me_query`."""

    # It decides what the user may open, and binds the token to its user.
    use_get_me_query = query_endpoint(data=Profile, url=ME_PATH, stale_while_revalidate=False)


class UserMutations(MutationGroup):
    """`use_update_me_mutation`."""

    use_update_me_mutation = mutation_endpoint(
        data=Profile,
        body=ProfileChanges,
        url=ME_PATH,
        method="PATCH",
        optional=True,
    ).invalidates(query_key=UserQueries.use_get_me_query)

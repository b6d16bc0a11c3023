"""What a key of the query store is for: for commands that tell what lies in the cache. Pure.

The names are made in `page_keys`, `write_log`, `sent_keys` and `portal.query.partition`; a test makes one of each.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

from portal.query.endpoints import query_key

if TYPE_CHECKING:
    from collections.abc import Iterable


class KeyUse(Enum):
    """What is kept at a key."""

    PAGE = "pages of queries without parameters"
    VARIANT = "pages of queries with parameters"
    WRITE_LOG = "records of writes"
    BINDING = "which user an access token belongs to"
    NAMESPACE = "users' namespaces"
    OTHER = "leases, generations, limits on sign-ins"


class StoredKey(NamedTuple):
    """A key, read.

    :param namespace: of the user; None for what is no single user's.
    :param endpoint: its key, such as `energy.get_clients`; None where the name does not tell.
    """

    use: KeyUse
    namespace: str | None = None
    endpoint: str | None = None


_NAMESPACE: Final = r"(?P<namespace>[0-9a-f]{32})"
#: The user's view, and the number of the form in which pages are stored.
_VIEW: Final = r":[0-9a-f]+:\d+"
_PAGE: Final = re.compile(_NAMESPACE + _VIEW + r":(?P<digest>[0-9a-f]{32})::\d+")
_VARIANT: Final = re.compile(_NAMESPACE + _VIEW + r":variant:\d+")
_WRITE_LOG: Final = re.compile(_NAMESPACE + r":(?P<endpoint>\w+\.\w+):(log|\d+)")
_OF_A_NAMESPACE: Final = re.compile(_NAMESPACE + r":")


def endpoints_by_digest(endpoints: Iterable[str]) -> dict[str, str]:
    """How the pages of queries without parameters are named, for :func:`read_key`."""
    return {
        query_key(endpoint=endpoint, paginated=paginated).digest: endpoint
        for endpoint in endpoints
        for paginated in (False, True)
    }


def read_key(key: str, *, endpoints: dict[str, str]) -> StoredKey:
    """What a key is for.

    :param endpoints: from :func:`endpoints_by_digest`.
    """
    if match := _PAGE.fullmatch(key):
        return StoredKey(KeyUse.PAGE, match["namespace"], endpoints.get(match["digest"]))
    if match := _VARIANT.fullmatch(key):
        return StoredKey(KeyUse.VARIANT, match["namespace"])
    if match := _WRITE_LOG.fullmatch(key):
        return StoredKey(KeyUse.WRITE_LOG, match["namespace"], match["endpoint"])
    use = {"binding": KeyUse.BINDING, "ns": KeyUse.NAMESPACE}.get(key.partition(":")[0], KeyUse.OTHER)
    match = _OF_A_NAMESPACE.match(key)
    return StoredKey(use, match["namespace"] if match else None)

"""The query layer and the refresh in a project that is not the portal's.

See docs/how-to/use-the-query-layer-in-a-project.md.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from portal.api import session_for
from portal.config.contract_names import PROFILE_ID_FIELD
from portal.errors import StoreUnavailableError
from portal.query.client import QueryClient, create_query_client
from portal.query.partition import principal_of, subject_of
from portal.query.process_state import runtime_for
from portal.store import SharedStore

if TYPE_CHECKING:
    from portal.api import TokenStore

logger = logging.getLogger("portal.query")


class QueryLayer:
    """One backend, with a cache of Django's for its answers and for what a refresh shares.

    Made once for each process, after the fork: it has threads and connections. Safe for threads.

    :ivar api: calls without a cache, with the refresh.
    """

    def __init__(self, *, base_url: str, cache: str = "default") -> None:
        """Begin.

        :param base_url: the backend's address.
        :param cache: the alias in `CACHES`. All processes of a machine or a cluster that share a user's sign-ins have
            to share it: LocMem is for one process.
        """
        store = SharedStore(alias=cache)
        self._runtime = runtime_for(store, backend_url=base_url)
        self.api = session_for(base_url, store=store)

    def client(self, tokens: TokenStore, *, principal: str) -> QueryClient:
        """The client of one user, for one request. Hooks take it in place of a request.

        Without the store, nothing is cached.

        :param tokens: the user's; after the request, `tokens.current` has those that a refresh has issued.
        :param principal: the user, as the project knows it. Two users never have one. Sign out with
            :meth:`QueryClient.purge`.
        """
        access, namespaces, profile = tokens.current.access, self._runtime.namespaces, {PROFILE_ID_FIELD: principal}
        try:
            if access and namespaces.principal_of(access) != principal_of(profile, subject=subject_of(access)):
                namespaces.bind(access, profile)
        except StoreUnavailableError as error:
            logger.warning("read without the cache: %s", error)
        return create_query_client(tokens=tokens, api=self.api, runtime=self._runtime)

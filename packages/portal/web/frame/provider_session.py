"""Ends a sign-in here if the identity provider has ended it. Without a provider, nothing is looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.api.identity_provider import identity_provider
from portal.errors import SignInEndedError

if TYPE_CHECKING:
    from portal.web.request import PortalRequest


def has_ended_at_provider(request: PortalRequest) -> bool:
    """Whether the provider has ended this sign-in."""
    provider = identity_provider()
    return provider is not None and provider.has_ended(request.token_store.current)


def end_if_ended_at_provider(request: PortalRequest) -> None:
    """If the provider has ended this sign-in, purge its cached data and end it here.

    :raises SignInEndedError: it has ended.
    """
    if not has_ended_at_provider(request):
        return
    request.query_client.purge()
    tokens = request.token_store
    refresh = tokens.current.refresh
    if refresh is None:
        tokens.clear()
    else:
        tokens.end(refused=refresh)
    raise SignInEndedError("the provider has ended this sign-in")

"""Whether the provider has ended the sign-in of a request, asked where it must show: `/me` and `/sign-in-state`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from portal.api.oidc_sign_ins import ProviderSignIns
from portal.config.current import portal_config
from portal.errors import SignInEndedError, StoreUnavailableError
from portal.store import refresh_store

if TYPE_CHECKING:
    from portal.web.request import PortalRequest

logger = logging.getLogger(__name__)


def provider_sign_ins() -> ProviderSignIns:
    """The records of sign-ins that came from the provider."""
    return ProviderSignIns(store=refresh_store(), max_age_s=portal_config().sign_in_max_age_s)


def has_ended_at_provider(request: PortalRequest) -> bool:
    """Whether the provider ended this sign-in; no where there is no provider, or the store can't tell."""
    if not portal_config().oidc.enabled:
        return False
    try:
        return provider_sign_ins().has_ended(request.token_store.current)
    except StoreUnavailableError as error:
        logger.warning("sign-in: whether the provider has ended it is not known: %s", error)
        return False


def end_if_ended_at_provider(request: PortalRequest) -> None:
    """End the sign-in here too if the provider has ended it, and drop its cached data.

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

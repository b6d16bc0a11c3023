"""The identity provider that signs users in instead of the backend, if one is configured (contract, section 3)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from portal.config.current import portal_config

if TYPE_CHECKING:
    from portal.api.refresh import TokenEndpoint
    from portal.api.tokens import TokenPair


class IdentityProvider(Protocol):
    """The questions that every application asks the provider. `portal.oidc` answers them."""

    def make_token_endpoint(self) -> TokenEndpoint:
        """Where tokens are refreshed and revoked."""
        ...

    def has_ended(self, pair: TokenPair) -> bool:
        """Whether the provider has ended this sign-in."""
        ...

    def sign_out_url(self, pair: TokenPair, *, return_to: str) -> str | None:
        """The provider's sign-out page for this sign-in; None if there is none, or the provider does not answer."""


def identity_provider() -> IdentityProvider | None:
    """The configured provider; None if the backend signs users in.

    The room is named and not imported: it stands above `api` and `web`, and without a provider it is never loaded.
    """
    return cast("IdentityProvider", import_module("portal.oidc")) if portal_config().oidc.enabled else None

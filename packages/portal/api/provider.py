"""The identity provider that signs users in instead of the backend, if one is configured (contract, section 3)."""

from typing import Protocol

from portal.api.refresh import TokenEndpoint
from portal.api.tokens import TokenPair
from portal.config.current import portal_config


class IdentityProvider(Protocol):
    """The questions that every application asks the provider. `portal_oidc` answers them."""

    def make_token_endpoint(self) -> TokenEndpoint:
        """Where tokens are refreshed and revoked."""
        ...

    def has_ended(self, pair: TokenPair) -> bool:
        """Whether the provider has ended this sign-in."""
        ...

    def end_user(self, subject: str) -> None:
        """End all sign-ins of a user that there are now.

        :param subject: the claim `sub` of the user's ID tokens.
        :raises StoreUnavailableError: nothing has ended.
        """
        ...

    def sign_out_url(self, pair: TokenPair, *, return_to: str) -> str | None:
        """The provider's sign-out page for this sign-in; None if there is none, or the provider does not answer."""


class _Current:
    """The provider of this process. Set once, at start."""

    provider: IdentityProvider | None = None


def use_provider(provider: IdentityProvider) -> None:
    """Set who answers for the configured provider. The package that implements it stands above this one."""
    _Current.provider = provider


def identity_provider() -> IdentityProvider | None:
    """The configured provider; None if the backend signs users in.

    :raises RuntimeError: one is configured, and the start has set none.
    """
    if not portal_config().oidc.enabled:
        return None
    if _Current.provider is None:
        raise RuntimeError("an OpenID provider is configured, and nothing has called portal.api.use_provider")
    return _Current.provider

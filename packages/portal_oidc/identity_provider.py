"""What every application asks the provider, through `portal.api`."""

import logging

from portal.api import TokenPair, use_provider
from portal.errors import StoreUnavailableError
from portal_oidc.provider import oidc_client
from portal_oidc.sessions import provider_sessions
from portal_oidc.sign_out import sign_out_url
from portal_oidc.token_endpoint import ProviderTokenEndpoint

logger = logging.getLogger("portal.oidc.identity_provider")


class OpenIdProvider:
    """The configured provider, as :class:`portal.api.provider.IdentityProvider`."""

    def make_token_endpoint(self) -> ProviderTokenEndpoint:
        """The provider's token endpoint."""
        return ProviderTokenEndpoint(client=oidc_client, sessions=provider_sessions())

    def has_ended(self, pair: TokenPair) -> bool:
        """Whether the provider has ended this sign-in. While the store does not answer, it has not."""
        try:
            return provider_sessions().has_ended(pair)
        except StoreUnavailableError as error:
            logger.warning("sign-in: whether the provider has ended it is not known: %s", error)
            return False

    def end_user(self, subject: str) -> None:
        """End all sign-ins of a user that there are now; may raise `StoreUnavailableError`."""
        provider_sessions().end_user(subject)

    def sign_out_url(self, pair: TokenPair, *, return_to: str) -> str | None:
        """See :func:`portal_oidc.sign_out.sign_out_url`."""
        return sign_out_url(pair, return_to=return_to)


def register() -> None:
    """Let this package answer for the configured provider. Called when Django starts, if there is one."""
    use_provider(OpenIdProvider())

"""Sign-in through an OpenID provider instead of the password form. Optional: loaded only if `APP_OIDC_ISSUER` is set.

::

    identity_provider       what every application asks; registers itself at `portal.api`
    sign_in                 to the provider's page, and from its callback to cookies
    sign_out                to the provider's sign-out page; the provider's back-channel logout
      │
    token_endpoint          refresh and revocation at the provider        failures         one page per reason
      │
    provider                endpoints, keys, addresses for the browser, calls
    sessions                records in the refresh store                  login_attempts   one signed cookie each
    id_tokens               checks of ID tokens and logout tokens

Arrows go down. The package is above `portal.web`, since a sign-in here is kept as one with a password is. `api` and
`web` reach it through `portal.api.identity_provider` alone: `register` is called at start. The gateway's views import
this page.

- **Sign-in**: `new_login_attempt` → `authorization_url` → the provider → `find_login_attempt` →
  `sign_in_from_callback`: redeem the code, check the ID token, keep the tokens (`portal.web.sign_in`),
  `ProviderSessions.start`.
- **Refresh**: `portal.api.refresh` → `ProviderTokenEndpoint.submit`: unless the provider has ended the sign-in,
  submit the refresh token, and `ProviderSessions.move` the record to the new one.
- **Back-channel logout**: `accept_logout_token`: check the logout token, `ProviderSessions.end`. Each application finds
  the end with its next refresh, `/me` or `/sign-in-state`.
"""

from portal_oidc.failures import ProviderFailure
from portal_oidc.identity_provider import register
from portal_oidc.login_attempts import (
    delete_attempt_cookie,
    delete_stale_attempts,
    find_login_attempt,
    new_login_attempt,
    set_attempt_cookie,
)
from portal_oidc.sign_in import authorization_url, sign_in_from_callback
from portal_oidc.sign_out import accept_logout_token

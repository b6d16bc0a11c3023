"""Who the user is, from the request alone: the access token, and the platforms cookie as a fallback.

Pure: no Django, no network, no clock of its own. The profile from `GET /me` is authoritative; the edge gates
routes with what is decided here, before `/me` is asked.

::

    token_cache           each token is decoded once in a process -> TokenCheck
      users               the decoded user -> DecodedUser; permission strings to platforms; VAR_PERMITTED_PLATFORMS
        verification      signature, issuer, audience
"""

from portal.identity.token_cache import INVALID, NO_TOKEN, TokenCheck, TokenState, make_token_cache
from portal.identity.users import (
    DecodedUser,
    contract_claims,
    derive_platforms_from_me,
    dump_platforms_cookie,
    get_user_from_token,
    parse_platforms_cookie,
    permission_strings,
    primary_platform,
    subject_in,
    user_from_claims,
)
from portal.identity.verification import TokenVerifier, make_verifier, use_key_source, why_not_verified

"""Where a user goes after sign-in (requirements, "Post-login flow")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portal.api.session import api_session
from portal.config.current import portal_config
from portal.config.wire_names import ME_PATH
from portal.edge import home_path
from portal.errors import ApiError, SignInEndedError, StoreUnavailableError
from portal.identity import derive_platforms_from_me, get_user_from_token, primary_platform

if TYPE_CHECKING:
    from portal.web.request import PortalRequest


def resolve_post_login_path(request: PortalRequest, *, access_token: str) -> str:
    """The home path of the user's platform, or the shared profile path; without the locale.

    1. `GET /me` with an explicit bearer: the request's own cookies do not hold the token yet.
    2. The response that carries the new tokens carries what it permits, in the platforms cookie.
    3. Its primary platform's home, or `/profile`.
    4. The caller navigates to `/{locale}{path}`.

    With `/me` failing, the token's own platforms decide (contract, section 8).
    """
    # Another user may have been signed in until now.
    request.me_platforms = None
    user = get_user_from_token(access_token, mapping=portal_config().oidc.mapping)
    try:
        profile = _fetch_profile(request, access_token)
    except (ApiError, StoreUnavailableError, SignInEndedError):
        platforms = user.platforms if user else ()
    else:
        platforms = derive_platforms_from_me(profile)
        request.me_platforms = platforms
    return home_path(primary_platform(platforms, role=user.role if user else None))


def _fetch_profile(request: PortalRequest, access_token: str) -> Any:
    answer = api_session().call(
        tokens=request.token_store,
        method="GET",
        path=ME_PATH,
        bearer=access_token,
        deadline=request.api_deadline,
        request_id=request.request_id,
    )
    return answer.data

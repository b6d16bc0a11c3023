"""After a sign-in: keep the tokens, and find the address to go to (requirements, "Post-login flow")."""

from typing import Any

from portal.api import TokenPair, TokenStore, api_session, set_tokens, sign_in_name
from portal.config.cookies import VAR_SELECTED_LOCALE
from portal.config.current import portal_config
from portal.edge import accept_target, home_path, with_locale
from portal.errors import ApiError, SignInEndedError, StoreUnavailableError
from portal.identity import derive_platforms_from_me, get_user_from_token, primary_platform
from portal.query import create_query_client
from portal.services.user import UserQueries
from portal.telemetry import audit
from portal.telemetry.audit import AuditEvent, AuditFields, tag_of
from portal.web.frame import absent_platforms
from portal.web.request import PortalRequest, active_locale


def keep_sign_in(request: PortalRequest, pair: TokenPair, *, wanted: str, who: AuditFields) -> str:
    """Keep tokens that were just issued. The response sets them, and the platforms of `/me`, as cookies.

    :param pair: has an access token.
    :param wanted: a `next`, used if it is an address of ours.
    :param who: for the audit log, what is known beside the tokens.
    :returns: the address to go to: `wanted`, or else the user's home.
    :raises UnusableTokenError: no cookie or no header can carry a token.
    """
    set_tokens(request.token_store, pair)
    user = get_user_from_token(pair.access or "", backend=portal_config().backend)
    issued: AuditFields = {"user_verified": True, "sign_in": sign_in_name(pair)}
    if user is not None and user.subject:
        issued["user"] = tag_of(user.subject)
    # Another user may have been signed in until now.
    nobody: AuditFields = {"user": None}
    audit.write(AuditEvent.SIGN_IN, **(nobody | who | issued))
    path = resolve_post_login_path(request, access_token=pair.access or "")
    config, locale = portal_config(), active_locale()
    target = accept_target(wanted, own_origin=config.own_origin, origins=config.origins.values())
    if target is None:
        return f"/{locale}{path}"
    # `wanted` is older than the sign-in page. A language that the user chose on that page by the switch wins.
    is_chosen = request.COOKIES.get(VAR_SELECTED_LOCALE) == locale
    return with_locale(target, locale=locale) if is_chosen else target


def resolve_post_login_path(request: PortalRequest, *, access_token: str) -> str:
    """The home path of the user's platform, or the shared profile path; without the locale.

    1. Ask `GET /me` with `access_token`: the request's own cookies do not hold it yet.
    2. Note the platforms that `/me` permits; the response sets the platforms cookie.
    3. Give the home of the primary platform of which something is offered, or `/profile`. The caller adds `/{locale}`.

    If `/me` fails, the token's own platforms decide (contract, section 8).
    """
    # Another user may have been signed in until now.
    request.me_platforms = None
    config = portal_config()
    user = get_user_from_token(access_token, mapping=config.oidc.mapping, backend=config.backend)
    try:
        profile = _fetch_profile(request, access_token)
    except (ApiError, StoreUnavailableError, SignInEndedError):
        platforms = user.platforms if user else ()
    else:
        platforms = derive_platforms_from_me(profile)
        request.me_platforms = platforms
    absent = absent_platforms()
    present = tuple(each for each in platforms if each not in absent)
    return home_path(primary_platform(present, role=user.role if user else None))


def _fetch_profile(request: PortalRequest, access_token: str) -> Any:
    """`GET /me` by the query layer: it binds the token to its user, so the pages after the sign-in need no other.

    :raises ApiError: all tries failed.
    :raises SignInEndedError: the backend accepts neither the token nor its refresh token.
    """
    if request.token_store.current.access == access_token:
        client = request.query_client
    else:
        # The caller has not kept the tokens.
        client = create_query_client(
            tokens=TokenStore(TokenPair(access=access_token)),
            api=api_session(),
            deadline=request.api_deadline,
            request_id=request.request_id,
        )
    return UserQueries.use_get_me_query(client).unwrap()

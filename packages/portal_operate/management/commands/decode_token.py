"""`./manage.py --app energy decode_token`: what an access token says, and whether the edge takes it."""

import datetime as dt
import json
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

import jwt
from babel.dates import format_timedelta

from portal.api import jwks_keys
from portal.config.cookies import MAX_COOKIE_BYTES
from portal.config.current import portal_config
from portal.config.portal_config import PortalConfig
from portal.identity import (
    DecodedUser,
    TokenState,
    contract_claims,
    make_token_cache,
    make_verifier,
    use_key_source,
    user_from_claims,
    why_not_verified,
)
from portal_operate.answers import BAD, FINE, AdministrationCommand, CommandAnswer, not_asked, read_token

#: Claims that are times, in seconds since the epoch (RFC 7519, section 4.1).
TIMES: Final = {"iat": "issued", "nbf": "valid from", "exp": "expires"}


def report_token(token: str, *, config: PortalConfig, now: float) -> dict[str, Any]:
    """Read a token as the edge does: the command's answer as JSON.

    A key set has to be in use already (`portal.identity.use_key_source`).

    :raises CommandError: it is no JWT; the message says why and repeats none of it.
    """
    try:
        decoded = jwt.decode_complete(token, options={"verify_signature": False})
    except (jwt.PyJWTError, ValueError) as error:
        raise not_asked("no access token: it is no header and claims in base64url, with dots between") from error
    check = make_token_cache(config).check(token, now=now)
    reason = {
        TokenState.VALID: "valid now",
        TokenState.EXPIRED: "it has expired: the edge renews it if a refresh token is there",
        TokenState.UNVERIFIABLE: "no key is known under its key id",
    }.get(check.state)
    header, claims = decoded["header"], decoded["payload"]
    user = check.user or _user(claims, config)
    return {
        "header": header,
        "claims": claims,
        "times": {name: _in_words(word, claims[name], now) for name, word in TIMES.items() if name in claims},
        "platforms": list(user.platforms) if user else [],
        "permissions": list(user.permissions) if user else [],
        "verified": config.verification.enabled and check.state in {TokenState.VALID, TokenState.EXPIRED},
        "accepted": check.state is TokenState.VALID,
        "reason": reason or _why_invalid(token, header, config),
    }


def _user(claims: Mapping[str, Any], config: PortalConfig) -> DecodedUser | None:
    try:
        if config.backend is not None:
            claims = contract_claims(claims, config.backend)
        return user_from_claims(claims, mapping=config.oidc.mapping)
    except (ValueError, OverflowError):
        return None


def _why_invalid(token: str, header: Mapping[str, Any], config: PortalConfig) -> str:
    """The first reason for which the edge does not take it."""
    if len(token) > MAX_COOKIE_BYTES:
        return f"it is longer than a cookie may be: {len(token)} characters of {MAX_COOKIE_BYTES}"
    verifier = make_verifier(config.verification)
    if verifier is not None and (reason := why_not_verified(token, config.verification, verifier)):
        return reason
    algorithm = header.get("alg")
    if not isinstance(algorithm, str) or algorithm.strip().lower() in {"", "none"}:
        return "it has no signature (alg: none)"
    return "it is not valid yet (nbf), or one of its time claims is no number"


def _in_words(word: str, value: Any, now: float) -> str:
    try:
        moment = dt.datetime.fromtimestamp(value, tz=dt.UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return f"{word}: no time"
    distance = format_timedelta(int(moment.timestamp() - now), threshold=2, add_direction=True, locale="en")
    return f"{word} {distance} ({moment:%Y-%m-%d %H:%M:%S} UTC)"


class Command(AdministrationCommand):
    """Never prints a signature, and never takes a token as a word of the command line, which others can see."""

    help = (
        "Print the header and the claims of an access token, its platforms, and whether the edge takes it. "
        "The token is read from standard input, or from a file."
    )
    examples = (
        "--app energy decode_token < token.txt",
        "--app energy decode_token --token-file token.txt --json",
    )
    bearer_file = "a file with the token; default: stdin"
    statuses = {FINE: "the edge takes it", BAD: "the edge does not take it"}

    def answer(self, **options: Any) -> CommandAnswer:
        config = portal_config()
        if config.oidc.opaque_access_tokens:
            raise not_asked("APP_OIDC_ACCESS_TOKENS=opaque: nothing is read of access tokens, only GET /me tells")
        token = read_token(options["token_file"])
        if config.verification.jwks_url:
            self.progress("the key set …")
            keys = jwks_keys(config)
            use_key_source(keys)
            if not keys.fetch_now():
                raise not_asked("APP_JWT_JWKS_URL gives no keys now: doctor says why")
        report = report_token(token, config=config, now=time.time())
        return CommandAnswer(
            data=report,
            lines=_lines(report, enabled=config.verification.enabled),
            status=FINE if report["accepted"] else BAD,
        )


def _lines(report: dict[str, Any], *, enabled: bool) -> Iterator[str]:
    how = (
        "signature verified" if report["verified"] else "signature not accepted" if enabled else "only decoded: no key"
    )
    yield f"{'accepted' if report['accepted'] else 'not accepted'} by the edge: {report['reason']} ({how})"
    yield f"header  {json.dumps(report['header'], ensure_ascii=False)}"
    for name, value in report["claims"].items():
        words = f"  {report['times'][name]}" if name in report["times"] else ""
        yield f"claim   {name} = {json.dumps(value, ensure_ascii=False)}{words}"
    yield f"opens   {', '.join(report['platforms']) or 'no platform'}"

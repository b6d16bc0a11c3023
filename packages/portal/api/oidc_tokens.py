"""Checking what the provider signed: ID tokens and logout tokens. Nothing in one is believed before it is checked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from authlib.oidc.core import CodeIDToken
from joserfc import jwk, jws, jwt
from joserfc.errors import ExpiredTokenError, InvalidClaimError, JoseError, MissingClaimError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_Key: TypeAlias = jwk.OctKey | jwk.RSAKey | jwk.ECKey | jwk.OKPKey
#: Between header, claims and signature of a token.
_DOTS: Final = 2
#: The provider's clock and ours may differ by so much, seconds.
LEEWAY_S: Final = 30
#: A logout token is meant for now (Back-Channel Logout 1.0, section 2.4: at most two minutes are recommended), seconds.
LOGOUT_TOKEN_AGE_S: Final = 150
LOGOUT_EVENT: Final = "http://schemas.openid.net/event/backchannel-logout"


class Flaw(Enum):
    """Why a token is not accepted."""

    MALFORMED = "it is no signed token"
    ALGORITHM = "its algorithm is not accepted"
    UNKNOWN_KEY = "its key is not the provider's"
    SIGNATURE = "its signature is wrong"
    ISSUER = "it is another issuer's"
    AUDIENCE = "it is meant for another client"
    EXPIRED = "it has expired"
    NONCE = "it belongs to another attempt"
    CLAIMS = "a claim is missing or wrong"


class TokenFlawError(Exception):
    """A token is not accepted; carries the reason and nothing of the token."""

    def __init__(self, flaw: Flaw) -> None:
        super().__init__(flaw.value)
        self.flaw = flaw


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a token has to say to be for us."""

    issuer: str
    client_id: str
    algorithms: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedInAs:
    """Who signed in at the provider, and in which of its sessions (`sid`; None where it names none)."""

    subject: str
    sid: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedOut:
    """Who signed out at the provider: one session of theirs, or with `sid` None all of them."""

    subject: str | None
    sid: str | None
    token_id: str


def check_id_token(
    token: object, *, keys: Mapping[str, Any], expected: Expected, nonce: str, access_token: str, now: float
) -> SignedInAs:
    """OpenID Connect Core, section 3.1.3.7.

    :raises TokenFlawError: it is not accepted.
    """
    header, claims = _verified(token, keys=keys, expected=expected)
    _check_meant_for_us(claims, expected)
    id_token = CodeIDToken(
        claims,
        header,
        params={"nonce": nonce, "client_id": expected.client_id, "access_token": access_token},
    )
    try:
        id_token.validate(now=math.floor(now), leeway=LEEWAY_S)
    except ExpiredTokenError as error:
        raise TokenFlawError(Flaw.EXPIRED) from error
    except (InvalidClaimError, MissingClaimError) as error:
        raise TokenFlawError(Flaw.NONCE if error.claim == "nonce" else Flaw.CLAIMS) from error
    except (JoseError, ValueError, TypeError) as error:
        raise TokenFlawError(Flaw.CLAIMS) from error
    subject, sid = claims.get("sub"), claims.get("sid")
    if not isinstance(subject, str) or not subject:
        raise TokenFlawError(Flaw.CLAIMS)
    return SignedInAs(subject=subject, sid=sid if isinstance(sid, str) and sid else None)


def check_logout_token(token: object, *, keys: Mapping[str, Any], expected: Expected, now: float) -> LoggedOut:
    """OpenID Connect Back-Channel Logout 1.0, section 2.6. Whether it was used before is the caller's to ask.

    :raises TokenFlawError: it is not accepted.
    """
    header, claims = _verified(token, keys=keys, expected=expected)
    _check_meant_for_us(claims, expected)
    events, issued_at, token_id = claims.get("events"), claims.get("iat"), claims.get("jti")
    subject, sid = claims.get("sub"), claims.get("sid")
    sound = (
        # An ID token must not pass for a logout token: it has a nonce, and no event.
        "nonce" not in claims
        and str(header.get("typ", "JWT")).lower().removeprefix("application/") in {"logout+jwt", "jwt"}
        and isinstance(events, dict)
        and isinstance(events.get(LOGOUT_EVENT), dict)
        and isinstance(token_id, str)
        and bool(token_id)
        and all(value is None or (isinstance(value, str) and value) for value in (subject, sid))
        and (subject is not None or sid is not None)
    )
    if not sound:
        raise TokenFlawError(Flaw.CLAIMS)
    if not _time(claims.get("exp"), default=math.inf) > now - LEEWAY_S:
        raise TokenFlawError(Flaw.EXPIRED)
    if not -LEEWAY_S <= now - _time(issued_at) <= LOGOUT_TOKEN_AGE_S:
        raise TokenFlawError(Flaw.EXPIRED)
    return LoggedOut(subject=subject, sid=sid, token_id=str(token_id))


def _verified(token: object, *, keys: Mapping[str, Any], expected: Expected) -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and claims of a token that one of these keys signed, with one of these algorithms."""
    if not isinstance(token, str) or token.count(".") != _DOTS:
        raise TokenFlawError(Flaw.MALFORMED)
    try:
        header = jws.extract_compact(token.encode()).headers()
    except (JoseError, ValueError, TypeError, RecursionError) as error:
        raise TokenFlawError(Flaw.MALFORMED) from error
    algorithm, kid = header.get("alg"), header.get("kid")
    if not (kid is None or isinstance(kid, str)):
        raise TokenFlawError(Flaw.MALFORMED)
    if algorithm not in expected.algorithms:
        raise TokenFlawError(Flaw.ALGORITHM)
    fitting = [
        key
        for key in keys["keys"]
        if isinstance(key, dict) and key.get("kty") != "oct" and (kid is None or key.get("kid") == kid)
    ]
    flaw = Flaw.UNKNOWN_KEY
    for member in fitting:
        key = _usable(member)
        if key is None:
            continue
        try:
            decoded = jwt.decode(token, key, algorithms=[str(algorithm)])
        except (JoseError, ValueError, TypeError) as error:
            del error  # which key it was not is nobody's business
            flaw = Flaw.SIGNATURE
            continue
        return dict(decoded.header), dict(decoded.claims)
    raise TokenFlawError(flaw)


def _usable(member: dict[str, Any]) -> _Key | None:
    """The key that a member of the set describes; None for one that can't be used: it is as if it were not there.

    Source: RFC 7517, section 5.
    """
    try:
        return jwk.import_key(member)
    except Exception:  # noqa: BLE001  of a curve that it does not know, the library raises a KeyError; others likewise
        return None


def _check_meant_for_us(claims: Mapping[str, Any], expected: Expected) -> None:
    if claims.get("iss") != expected.issuer:
        raise TokenFlawError(Flaw.ISSUER)
    audience = claims.get("aud")
    if expected.client_id not in (audience if isinstance(audience, list) else [audience]):
        raise TokenFlawError(Flaw.AUDIENCE)


def _time(value: object, *, default: float = math.nan) -> float:
    """A NumericDate; a malformed one compares as never right, a missing one is the default."""
    if value is None:
        return default
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan

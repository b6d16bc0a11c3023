"""Checks the tokens that the provider signs: ID tokens and logout tokens.

joserfc checks the signature and the times, Authlib the rest of an ID token. A claim is read only after both.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from authlib.oidc.core import CodeIDToken
from joserfc import jwk, jws, jwt
from joserfc.errors import ExpiredTokenError, InvalidClaimError, JoseError, MissingClaimError

#: How far the provider's clock and ours may differ, seconds.
LEEWAY_S: Final = 30
#: Oldest `iat` of a logout token, seconds. Back-Channel Logout 1.0, section 2.4, recommends at most two minutes.
LOGOUT_TOKEN_AGE_S: Final = 150
LOGOUT_EVENT: Final = "http://schemas.openid.net/event/backchannel-logout"
_DOTS_IN_A_JWT: Final = 2


class JwtProblem(Enum):
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


#: The problem that a missing or wrong claim is; for any other claim it is CLAIMS.
_PROBLEM_OF_CLAIM: Final = {"iss": JwtProblem.ISSUER, "aud": JwtProblem.AUDIENCE, "nonce": JwtProblem.NONCE}
_PROBLEM_OF_LOGOUT_CLAIM: Final = _PROBLEM_OF_CLAIM | dict.fromkeys(("iat", "exp"), JwtProblem.EXPIRED)


class InvalidJwtError(Exception):
    """A token is not accepted. Holds the reason and nothing of the token."""

    def __init__(self, problem: JwtProblem) -> None:
        super().__init__(problem.value)
        self.problem = problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The values that a token must have to be accepted here."""

    issuer: str
    client_id: str
    algorithms: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class IdTokenClaims:
    """The user who signed in, and the provider's session (`sid`, None if the provider names none)."""

    subject: str
    sid: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogoutTokenClaims:
    """The session that ended at the provider; without a `sid`, all sessions of the user `subject`."""

    subject: str | None
    sid: str | None
    token_id: str


def check_id_token(
    token: object, *, keys: Mapping[str, Any], expected: Expected, nonce: str, access_token: str, now: float
) -> IdTokenClaims:
    """Check an ID token (OpenID Connect Core, section 3.1.3.7).

    :raises InvalidJwtError: it is not accepted.
    """
    header, claims = _verify(token, keys=keys, algorithms=expected.algorithms)
    id_token = CodeIDToken(
        claims,
        header,
        options={"iss": {"value": expected.issuer}, "aud": {"value": expected.client_id}, "sub": {"essential": True}},
        params={"nonce": nonce, "client_id": expected.client_id, "access_token": access_token},
    )
    _validate(id_token.validate, _PROBLEM_OF_CLAIM, now=math.floor(now), leeway=LEEWAY_S)
    sid = claims.get("sid")
    return IdTokenClaims(subject=claims["sub"], sid=sid if isinstance(sid, str) and sid else None)


def check_logout_token(token: object, *, keys: Mapping[str, Any], expected: Expected, now: float) -> LogoutTokenClaims:
    """Check a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6). The caller finds a used one.

    :raises InvalidJwtError: it is not accepted.
    """
    header, claims = _verify(token, keys=keys, algorithms=expected.algorithms)
    claims = {name: value for name, value in claims.items() if value is not None}
    registry = jwt.JWTClaimsRegistry(
        now=math.floor(now),
        leeway=LEEWAY_S,
        iss={"essential": True, "value": expected.issuer},
        aud={"essential": True, "value": expected.client_id},
        iat={"essential": True},
        jti={"essential": True},
        sub={"essential": False},  # an empty one is refused
    )
    _validate(registry.validate, _PROBLEM_OF_LOGOUT_CLAIM, claims)
    if now - claims["iat"] > LOGOUT_TOKEN_AGE_S:
        raise InvalidJwtError(JwtProblem.EXPIRED)
    events, subject, sid = claims.get("events"), claims.get("sub"), claims.get("sid")
    is_logout = (
        # An ID token is no logout token: it has a nonce and no event.
        "nonce" not in claims
        and str(header.get("typ", "JWT")).lower().removeprefix("application/") in {"logout+jwt", "jwt"}
        and isinstance(events, dict)
        and isinstance(events.get(LOGOUT_EVENT), dict)
    )
    names_session_or_user = (isinstance(sid, str) and sid != "") if "sid" in claims else "sub" in claims
    if not is_logout or not names_session_or_user:
        raise InvalidJwtError(JwtProblem.CLAIMS)
    return LogoutTokenClaims(subject=subject, sid=sid, token_id=claims["jti"])


def _validate(validate: Any, problems: Mapping[str, JwtProblem], *args: object, **kwargs: object) -> None:
    """Run a library's checks, and translate its errors.

    :raises InvalidJwtError: a claim is missing or wrong.
    """
    try:
        validate(*args, **kwargs)
    except ExpiredTokenError as error:
        raise InvalidJwtError(JwtProblem.EXPIRED) from error
    except (InvalidClaimError, MissingClaimError) as error:
        raise InvalidJwtError(problems.get(error.claim, JwtProblem.CLAIMS)) from error
    except (JoseError, ValueError, TypeError) as error:
        raise InvalidJwtError(JwtProblem.CLAIMS) from error


def _verify(
    token: object, *, keys: Mapping[str, Any], algorithms: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and claims of a token that one of `keys` signed with one of `algorithms`.

    Each fitting key is tried: joserfc's KeySet refuses a whole set for one malformed key, and takes a random key for
    a token that names none.
    """
    if not isinstance(token, str) or token.count(".") != _DOTS_IN_A_JWT:
        raise InvalidJwtError(JwtProblem.MALFORMED)
    try:
        header = jws.extract_compact(token.encode()).headers()
    except (JoseError, ValueError, TypeError, RecursionError) as error:
        raise InvalidJwtError(JwtProblem.MALFORMED) from error
    algorithm, kid = header.get("alg"), header.get("kid")
    if not (kid is None or isinstance(kid, str)):
        raise InvalidJwtError(JwtProblem.MALFORMED)
    if algorithm not in algorithms:
        raise InvalidJwtError(JwtProblem.ALGORITHM)
    problem = JwtProblem.UNKNOWN_KEY
    for key in map(_import_key, keys["keys"]):
        if key is None or kid not in (None, key.kid):
            continue
        try:
            decoded = jwt.decode(token, key, algorithms=[str(algorithm)])
        except (JoseError, ValueError, TypeError):
            problem = JwtProblem.SIGNATURE
        else:
            return dict(decoded.header), dict(decoded.claims)
    raise InvalidJwtError(problem)


def _import_key(member: Any) -> jwk.RSAKey | jwk.ECKey | jwk.OKPKey | None:
    """A public key of a key set; None for a malformed or a symmetric one, which RFC 7517, section 5, lets us ignore."""
    try:
        key = jwk.import_key(member)
    except Exception:  # noqa: BLE001  joserfc raises a KeyError for an unknown curve, and others
        return None
    return None if isinstance(key, jwk.OctKey) else key

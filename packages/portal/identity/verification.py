"""Verification of access tokens, where keys are configured (contract, section 3 and section 5).

Keys come from a :class:`KeySource`. A configured key is one; the keys of a JWKS address are another, fetched
in the background by `portal.api.jwks`, which calls :func:`use_key_source` at start. A look-up of keys reads
memory only: nothing here waits.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import jwt

from portal.config.portal_config import TokenVerification
from portal.errors import ConfigurationError

logger = logging.getLogger(__name__)

#: First letters of an algorithm's name to the JWK type of its keys (RFC 7518, section 6.1; RFC 8037). A shared
#: secret has no place in a published set.
_KEY_TYPES = {"RS": "RSA", "PS": "RSA", "ES": "EC", "Ed": "OKP"}

#: The errors that PyJWT and the libraries below it raise for input that is not a token. Any other error is a fault of
#: ours and must be seen.
NOT_A_TOKEN = (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError)


class UnknownKeyError(jwt.PyJWTError):
    """No key is known under the token's key id: it can't be verified now.

    A subclass of PyJWT's base error, so that a caller who needs only "valid or not" catches one class.
    """


class KeySource(Protocol):
    """A source of keys. Every member returns at once, from memory, in any thread.

    :ivar begun: the number of fetches of the key set that have begun.
    :ivar succeeded: the number of the last successful fetch, counted as in :attr:`begun`; its keys are in the set.
    """

    begun: int
    succeeded: int

    @property
    def generation(self) -> int:
        """Counts the changes of the key set. A token that was verified with an earlier set is verified again."""
        ...

    def keys_for(self, kid: str | None) -> Sequence[jwt.PyJWK]:
        """The signing keys with this key id; all keys of the set if `kid` is None; empty if there is none.

        An implementation may start a fetch in the background.
        """
        ...


class NoKeys:
    """The key source of a process that was not started by `portal_server.startup`: every token counts as absent."""

    generation = -1
    begun = 0
    succeeded = 0

    def keys_for(self, kid: str | None) -> tuple[jwt.PyJWK, ...]:  # noqa: ARG002  the protocol's signature
        """No keys. The log says so, because every user would be sent to the sign-in page without a word."""
        logger.error(
            "nothing fetches APP_JWT_JWKS_URL here: a server starts with portal_server.startup.wsgi_application"
        )
        return ()


NO_KEYS = NoKeys()


class _Current:
    """Holds the process's key source, which is made after the settings and before the first request."""

    source: KeySource = NO_KEYS


def use_key_source(source: KeySource | None) -> None:
    """Set the process's key source; called at start, and by tests."""
    _Current.source = source or NO_KEYS


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenVerifier:
    """Verifies a token's signature with a fixed list of algorithms, and its issuer and audience exactly.

    :param secrets: algorithm to the configured key, prepared; empty with a JWKS address.
    """

    algorithms: tuple[str, ...]
    secrets: dict[str, Any]
    issuer: str
    audience: str

    @property
    def source(self) -> KeySource:
        """The process's key source, which is asked where no key is configured."""
        return _Current.source

    @property
    def has_keys(self) -> bool:
        """Whether keys are configured, or something fetches them in this process."""
        return bool(self.secrets) or self.source is not NO_KEYS

    def verified_claims(self, token: str) -> dict[str, Any]:
        """The claims of a token with the right signature, issuer and audience; the caller checks the times.

        :raises UnknownKeyError: no key is known under its key id.
        :raises jwt.PyJWTError: the token is not valid.
        """
        # The header is not verified yet; only the names of key and algorithm are read from it.
        header = jwt.get_unverified_header(token)
        algorithm = header.get("alg")
        if algorithm not in self.algorithms:
            raise jwt.InvalidAlgorithmError("the algorithm is not one of the configured ones")
        failure: jwt.PyJWTError = UnknownKeyError("no key is known under the token's key id")
        for key in self._keys(algorithm, header.get("kid")):
            try:
                return self._claims(token, key, algorithm)
            except jwt.InvalidSignatureError as error:
                failure = error
        raise failure

    def _keys(self, algorithm: str, kid: str | None) -> Sequence[Any]:
        if self.secrets:
            return (self.secrets[algorithm],)
        found = self.source.keys_for(kid)
        key_type = _KEY_TYPES.get(algorithm[:2])
        # A tuple, not a set: a published key's `use` may be a value without a hash.
        # A private key has `public_key`: where it is published, anybody may sign with it.
        public = [key for key in found if not hasattr(key.key, "public_key")]
        fitting = [key.key for key in public if key.key_type == key_type and key.public_key_use in (None, "sig")]
        if found and not fitting:
            raise jwt.InvalidAlgorithmError("the key is not for this algorithm")
        return fitting

    def _claims(self, token: str, key: Any, algorithm: str) -> dict[str, Any]:
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            issuer=self.issuer or None,
            audience=self.audience or None,
            options={
                "verify_aud": bool(self.audience),
                # The token cache checks times at each use, with our own leeway.
                "verify_exp": False,
                "verify_nbf": False,
                "verify_iat": False,
                # PyJWT insists on texts; some backends give numbers.
                "verify_sub": False,
                "verify_jti": False,
            },
        )
        return claims


def make_verifier(settings: TokenVerification) -> TokenVerifier | None:
    """The verifier of a configuration; None if tokens are only decoded.

    :raises ConfigurationError: the configured key does not fit the algorithms.
    """
    if not settings.enabled:
        return None
    secrets = {}
    if settings.key:
        # In an environment variable the line breaks of a PEM are often written as \n.
        key = settings.key.replace("\\n", "\n") if "-----BEGIN" in settings.key else settings.key
        secrets = {name: _prepared(key, name) for name in settings.algorithms}
    return TokenVerifier(
        algorithms=settings.algorithms, secrets=secrets, issuer=settings.issuer, audience=settings.audience
    )


def why_not_verified(token: str, settings: TokenVerification, verifier: TokenVerifier) -> str | None:
    """Why a token does not verify, in words that hold nothing secret; None if it does. Its times are not looked at."""
    try:
        verifier.verified_claims(token)
    except NOT_A_TOKEN as error:
        return _in_words(error, token, settings)
    return None


def _in_words(error: Exception, token: str, settings: TokenVerification) -> str:
    match error:
        case UnknownKeyError():
            words = "no key of APP_JWT_JWKS_URL is known under its key id (kid)"
        case jwt.InvalidAlgorithmError():
            algorithm, accepted = jwt.get_unverified_header(token).get("alg"), ", ".join(settings.algorithms)
            words = f"its algorithm is {algorithm}, and APP_JWT_ALGORITHMS has {accepted}"
        case jwt.MissingRequiredClaimError():
            words = f"it has no claim {error.claim}"
        case jwt.InvalidIssuerError():
            words = f"its issuer (iss) is not {settings.issuer}"
        case jwt.InvalidAudienceError():
            words = f"its audience (aud) is not {settings.audience}"
        case jwt.InvalidSignatureError():
            words = f"it is not signed with {'APP_JWT_KEY' if settings.key else 'a key of APP_JWT_JWKS_URL'}"
        case _:
            words = f"it does not verify: {type(error).__name__}"
    return words


def _prepared(key: str, name: str) -> Any:
    """The key in the form that PyJWT's algorithm `name` takes."""
    algorithm = jwt.get_algorithm_by_name(name)
    try:
        prepared = algorithm.prepare_key(key)
    except (jwt.PyJWTError, ValueError, TypeError) as error:
        raise ConfigurationError(f"APP_JWT_KEY should be a key for {name}") from error
    if hasattr(prepared, "public_key"):
        raise ConfigurationError(f"APP_JWT_KEY should be the public key for {name}, not the private one")
    if algorithm.check_key_length(prepared) is not None:
        # RFC 7518, sections 3.2 and 3.3. PyJWT would warn on each request.
        least = f"at least {int(name[2:]) // 8} bytes" if name.startswith("HS") else "at least 2048 bits"
        raise ConfigurationError(f"APP_JWT_KEY should be longer for {name}: {least}")
    return prepared

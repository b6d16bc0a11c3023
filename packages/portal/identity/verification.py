"""Verification of access tokens, where keys are configured (contract, section 3 and section 5).

Keys come from a :class:`KeySource`. A configured key is one; the keys of a JWKS address are another, fetched
in the background by the layer that may use the network and handed over at start with :func:`use_key_source`.
Asking a source for keys is a look-up in memory: nothing here waits for anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import jwt

from portal.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.config.portal_config import TokenVerification


#: First letters of an algorithm's name to the JWK type of its keys (RFC 7518, section 6.1; RFC 8037). A shared
#: secret has no place in a published set.
_KEY_TYPES = {"RS": "RSA", "PS": "RSA", "ES": "EC", "Ed": "OKP"}


class UnknownKeyError(jwt.PyJWTError):
    """No key is known under the token's key id: it can be judged neither good nor bad, now.

    Part of PyJWT's tree, so that whoever only wants to know "good or not" needs one `except`.
    """


class KeySource(Protocol):
    """Where the keys come from. Every member answers at once, from memory, in any thread."""

    @property
    def generation(self) -> int:
        """Counts the changes of the set of keys; what was verified with an earlier set is verified again."""

    @property
    def begun(self) -> int:
        """How many fetches of the set have begun."""

    @property
    def succeeded(self) -> int:
        """The number of the last fetch that succeeded, counted as in :attr:`begun`; its keys are in the set."""

    def keys_for(self, kid: str | None) -> Sequence[jwt.PyJWK]:
        """The signing keys under this key id; without one, all keys of the set.

        Empty when there is none. An implementation may take note, and fetch in the background.
        """


class _HandedOver:
    """The process's key source. A holder, since the source is made after the settings and before the first request."""

    source: KeySource | None = None


def use_key_source(source: KeySource | None) -> None:
    """Hand over the keys that a JWKS address gives; called at start, and by tests."""
    _HandedOver.source = source


class NoKeys:
    """What a JWKS address gives before anything was fetched."""

    generation = -1
    begun = 0
    succeeded = 0

    def keys_for(self, kid: str | None) -> tuple[jwt.PyJWK, ...]:  # noqa: ARG002  the protocol's signature
        """None."""
        return ()


NO_KEYS = NoKeys()


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenVerifier:
    """Verifies signature and claims with a fixed list of algorithms; issuer and audience exactly.

    :param secrets: algorithm to the one configured key, prepared; empty with a JWKS address.
    """

    algorithms: tuple[str, ...]
    secrets: dict[str, Any]
    issuer: str
    audience: str

    @property
    def generation(self) -> int:
        """See :attr:`KeySource.generation`."""
        if self.secrets:
            return 0
        return self._source.generation

    @property
    def begun(self) -> int:
        """See :attr:`KeySource.begun`."""
        return self._source.begun

    @property
    def succeeded(self) -> int:
        """See :attr:`KeySource.succeeded`."""
        return self._source.succeeded

    def verified_claims(self, token: str) -> dict[str, Any]:
        """The claims of a token whose signature, issuer and audience are right; times are left to the caller.

        :raises UnknownKeyError: no key is known for it.
        :raises jwt.PyJWTError: it is not acceptable.
        """
        # Decoded without a key here only to learn the key's name; nothing of it is believed.
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

    @property
    def _source(self) -> KeySource:
        return NO_KEYS if _HandedOver.source is None else _HandedOver.source

    def _keys(self, algorithm: str, kid: str | None) -> Sequence[Any]:
        if self.secrets:
            return (self.secrets[algorithm],)
        found = self._source.keys_for(kid)
        key_type = _KEY_TYPES.get(algorithm[:2])
        # A tuple, since a set asks for a hash, which what stands in a published key's `use` need not have.
        fitting = [key.key for key in found if key.key_type == key_type and key.public_key_use in (None, "sig")]
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
                # Times are checked at each use of the cached result, with our own leeway.
                "verify_exp": False,
                "verify_nbf": False,
                "verify_iat": False,
            },
        )
        return claims


def make_verifier(settings: TokenVerification) -> TokenVerifier | None:
    """The verifier that the configuration asks for; None where tokens are only decoded.

    :raises ConfigurationError: the configured key does not fit the algorithms.
    """
    if not settings.enabled:
        return None
    secrets = {}
    if settings.key:
        # A PEM in an environment variable often comes with its line breaks written as \n.
        key = settings.key.replace("\\n", "\n") if "-----BEGIN" in settings.key else settings.key
        secrets = {name: _prepared(key, name) for name in settings.algorithms}
    return TokenVerifier(
        algorithms=settings.algorithms, secrets=secrets, issuer=settings.issuer, audience=settings.audience
    )


def _prepared(key: str, name: str) -> Any:
    """The key as the algorithm `name` takes it."""
    algorithm = jwt.get_algorithm_by_name(name)
    try:
        prepared = algorithm.prepare_key(key)
    except (jwt.PyJWTError, ValueError, TypeError) as error:
        raise ConfigurationError(f"APP_JWT_KEY should be a key for {name}") from error
    if algorithm.check_key_length(prepared) is not None:
        # RFC 7518, sections 3.2 and 3.3; without this PyJWT would warn on each request.
        least = f"at least {int(name[2:]) // 8} bytes" if name.startswith("HS") else "at least 2048 bits"
        raise ConfigurationError(f"APP_JWT_KEY should be longer for {name}: {least}")
    return prepared

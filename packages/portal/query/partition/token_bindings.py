"""Token bindings: which partition of the cache an access token opens, as the store holds it. Pure.

The store holds hashes of tokens and of principals, never the token or the user's id.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from portal.config.contract_names import PROFILE_ID_FIELD
from portal.config.limits import EXPIRY_LEEWAY_S

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_HASH_CHARS: Final = 40
#: Characters with which a principal and its namespaces begin: on a cluster they lie in one slot (portal.store.cluster).
HASH_TAG_CHARS: Final = 3
#: Members of a stored binding. All releases that run at the same time share namespaces and bindings, because a purge
#: or a write by one of them concerns the pages of the others. So a later release may append members, and no more
#: (ADR 49): what is behind those that a release knows, it ignores.
_BINDING_MEMBERS: Final = 4
_BINDING_PREFIX: Final = "binding:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """The part of the cache that a token opens. Tokens that open the same part have equal partitions.

    :param principal: hash of what names the user (:func:`principal_of`).
    :param namespace: random name of the user's namespace.
    :param view: digest of the permissions that the profile named for this token. Tokens of one user may have different
        permissions: they share the write log, and each reads the pages of its own view.
    :param binding: key of the token's binding in the store.
    :ivar pages: how the keys of its pages begin.
    :ivar keys: keys that a read gets from the store together with the cached data, for :meth:`is_current`.
    """

    principal: str
    namespace: str
    view: str
    binding: str = field(compare=False)
    pages: str = field(init=False, compare=False)
    keys: tuple[str, str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Make the keys once: every cached read needs them."""
        object.__setattr__(self, "pages", f"{self.namespace}:{self.view}")
        # The binding first: on a cluster it is another step, and generations that are read before it may be too old.
        object.__setattr__(self, "keys", (self.binding, namespace_key(self.principal)))

    def is_current(self, found: Mapping[str, Any]) -> bool:
        """Whether the store has this namespace as the user's present one, and has the binding.

        A process may remember a binding that the store has lost. Such a binding opens nothing: another process, which
        does not know the binding, may have made a write with the token that is in no write log.

        :param found: values that were read from the store, those of :attr:`keys` among them.
        """
        # Not parsed, because every cached read comes here.
        name, key = self.keys
        namespace, binding = found.get(key), found.get(name)
        return (
            isinstance(namespace, list)
            and isinstance(binding, list)
            and namespace[:1] == [self.namespace]
            and binding[:2] == [self.principal, self.namespace]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBinding:
    """A token's partition.

    :param expires_at: the token's own `exp`, seconds since the epoch; None for a token that does not expire.
    """

    partition: Partition
    expires_at: float | None

    def stored(self) -> list[Any]:
        """The binding as JSON for the store."""
        return [self.partition.principal, self.partition.namespace, self.expires_at, self.partition.view]

    def is_valid(self, now: float) -> bool:
        """Whether the token has not expired, and the namespace is known."""
        is_open = self.expires_at is None or now < self.expires_at + EXPIRY_LEEWAY_S
        return is_open and bool(self.partition.namespace)

    def announced(self) -> TokenBinding:
        """The binding while a generation begins: a writer finds its user, and no reader its namespace."""
        return replace(self, partition=replace(self.partition, namespace=""))


def parse_binding(key: str, value: object) -> TokenBinding | None:
    """The binding that the store has under `key`; None for a value that is not a binding."""
    if not isinstance(value, list) or len(value) < _BINDING_MEMBERS:
        return None
    principal, namespace, expires_at, view = value[:_BINDING_MEMBERS]
    if not isinstance(principal, str) or not isinstance(namespace, str) or not isinstance(view, str):
        return None
    if expires_at is not None and not isinstance(expires_at, int | float):
        return None
    partition = Partition(principal=principal, namespace=namespace, view=view, binding=key)
    return TokenBinding(partition=partition, expires_at=expires_at)


def parse_namespace(value: object) -> str | None:
    """The name of a namespace as the store has it; None for a value that is not one."""
    if not isinstance(value, list) or not value or not isinstance(value[0], str):
        return None
    return value[0]


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom an access token names: its claim `sub`, and its `iss` if it has one."""

    name: str
    issuer: str | None


def principal_of(profile: Mapping[str, Any], *, subject: Subject | None) -> str | None:
    """Return the hash that stands for the user of a token with which GET `/me` has just succeeded.

    None where neither the profile's id nor the token's subject names anybody.
    """
    value = profile.get(PROFILE_ID_FIELD)
    is_id = isinstance(value, str | int) and not isinstance(value, bool) and value != ""
    return principal_of_user(str(value) if is_id else None, subject) if is_id or subject is not None else None


def principal_of_user(user_id: str | None, subject: Subject | None) -> str:
    """Return the hash that stands for a user: the profile's id, with the token's issuer and subject.

    Two tenants may count the ids of their profiles from 1.
    """
    return short_hash("principal", json.dumps([user_id, subject and subject.issuer, subject and subject.name]))


def principals_of_user(
    user_id: str, *, subject: str | None = None, issuers: Iterable[str | None] = ()
) -> frozenset[str]:
    """Return all that may stand for a user whose profile has this id, or none.

    :param subject: the claim `sub` of the user's tokens, by default the id; tokens without one count in any case.
    :param issuers: the `iss` that such tokens may have; tokens without one count in any case.
    """
    subjects = [Subject(subject or user_id, issuer) for issuer in {None, *issuers}]
    found = {principal_of_user(name, each) for each in subjects for name in (user_id, None)}
    return frozenset({principal_of_user(user_id, None), *found})


def principal_of_sign_in(name: str) -> str:
    """The hash that stands for the user of a sign-in, where nothing else names them."""
    return short_hash("principal-sign-in", name)


def principal_of_token(token: str) -> str:
    """The hash that stands for whoever has this token, where not even its sign-in is certain."""
    return short_hash("principal-token", token)


def namespace_key(principal: str) -> str:
    """Key of a principal's namespace."""
    return f"ns:{principal}"


@lru_cache(maxsize=256)
def binding_key(token: str) -> str:
    """Key of a token's binding. Each read of a request asks for that of the same token."""
    return f"{_BINDING_PREFIX}{hashlib.sha256(token.encode(errors='surrogatepass')).hexdigest()}"


def is_binding_key(key: str) -> bool:
    """Whether :func:`binding_key` made it."""
    return key.startswith(_BINDING_PREFIX)


def short_hash(label: str, text: str) -> str:
    """A hash of a text. The same text has other hashes under other labels."""
    return hashlib.sha256(f"{label}:{text}".encode(errors="surrogatepass")).hexdigest()[:_HASH_CHARS]

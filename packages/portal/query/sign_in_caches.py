"""Caches of sign-ins: whoever has an access token has the cache that its hash leads to.

::

    ns:<hash of the token>     [name, number, number of the user]      opens the cache
    <name>:number              random; another one after a purge
    <user>:number              the same for all sign-ins that name this user
    accepted:ns:<hash>         GET `/me` has accepted the token
    <name>:<number>:…          the space: pages and write logs

Nobody can compute the hash of a token that they do not have, so no claim has to be believed: an invented token opens an
empty cache. A refresh that the portal itself made hands the cache on to the new token. A purge makes a number new. Then
no older page counts, and no token opens the cache before its tombstone was looked for.

Purges wait in the process while the store is down (docs/explanation/store-failures.md).
"""

import hashlib
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from portal.api import current_backend, expires_at
from portal.config.limits import EXPIRY_LEEWAY_S
from portal.identity import get_user_from_token
from portal.store import MISSING, SharedStore, note_unknown

#: Lifetime of a cache, seconds. When it ends, pages are fetched once more. So a made-up token leaves nothing for long.
CACHE_LIFETIME_S: Final = 60 * 60
#: Lifetime of the note that GET `/me` has accepted a token, seconds.
ACCEPTED_S: Final = 24 * 60 * 60
#: Seconds for which a token's entry outlives the token: longer than any page that was fetched with it.
USED_TOKEN_KEPT_S: Final = 20 * 60
#: Lifetime of the number of an endpoint, or of all caches: a store that evicts by age takes it last. Seconds.
GENERATION_LIFETIME_S: Final = 7 * 24 * 60 * 60
#: Characters with which a user, and the names of the user's caches, begin: they lie in one slot of a cluster.
HASH_TAG_CHARS: Final = 3
#: Purges that wait for the store. When there are more, all caches are cleared instead.
MAX_PENDING: Final = 4096
#: Tokens that a process keeps in memory.
_MAX_KNOWN: Final = 4096
_NAME_CHARS: Final = 32
_OPENS: Final = "ns:"
#: Among the purges that wait: of all caches.
_EVERYTHING: Final = ""
_END: Final = 2**60


@dataclass(frozen=True, slots=True)
class SignInCache:
    """The cache that one access token opens. Tokens of one sign-in open equal ones.

    :param token_key: key of what the token opens.
    :param name: random.
    :param number_keys: keys of the numbers of the sign-in, and of its user if the token names one.
    :param numbers: of now. Under other numbers the cache has to be opened again.
    :ivar space: how the keys of all that is cached begin. After a purge there is another one.
    :ivar keys: keys that a read gets together with the cached data, for :meth:`is_current`.
    """

    token_key: str = field(compare=False)
    name: str
    number_keys: tuple[str, ...]
    numbers: tuple[int, ...]
    space: str = field(init=False, compare=False)
    keys: tuple[str, ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Make the keys once: every cached read needs them."""
        object.__setattr__(self, "space", f"{self.name}:{self.numbers[0]}")
        # That of the token first: on a cluster it is another step, and numbers that are read before it may be too old.
        object.__setattr__(self, "keys", (self.token_key, *self.number_keys))

    def stored(self) -> list[Any]:
        """Return what the token opens, as JSON for the store."""
        return [self.name, *self.numbers]

    def is_current(self, found: Mapping[str, Any]) -> bool:
        """Return whether the token still opens this cache in the store: another process may have made one since.

        :param found: values that were read from the store, those of :attr:`keys` among them.
        """
        # A number never comes back.
        numbers = tuple(map(found.get, self.number_keys))
        return _name_in(found.get(self.token_key)) == self.name and numbers == self.numbers


class SignInCaches:
    """The caches of one store. Safe for threads; its methods raise `StoreUnavailableError`.

    :param clock: seconds since the epoch.
    :param random_below: a random whole number from 0 to below its argument.
    :ivar pending: purges to be done before the store is next asked: each key with an object of its own, so that a
        purge which comes during a flush stays.
    """

    def __init__(
        self,
        *,
        store: SharedStore,
        clock: Callable[[], float] = time.time,
        random_below: Callable[[int], int] = secrets.randbelow,
    ) -> None:
        self._store = store
        self._clock = clock
        self.random_below = random_below
        self._known: dict[str, SignInCache] = {}
        self.pending: dict[str, object] = {}
        self._lock = threading.Lock()

    def known(self, token: str) -> SignInCache | None:
        """Return what this process remembers of a token; None for an expired one, which opens nothing."""
        cache = self._known.get(cache_key(token))
        return None if cache is None or self._is_expired(token) else cache

    def open(self, token: str | None, *, check_active: Callable[[], None]) -> SignInCache | None:
        """Open the cache of a token, and make it where there is none; None without a token, and for an expired one.

        :param check_active: raises an error if the token was signed out. It is called unless the store has the cache.
        """
        if token is None or self._is_expired(token):
            return None
        key, user, lifetime_s = cache_key(token), _user_of(token), self._lifetime_s(token)
        for _ in range(2):
            value = self._store.get(key)
            found = _name_in(value)
            name = found or self._new_name(user)
            number_keys = (_number_key(name), *([_number_key(user)] if user else []))
            numbers = self._numbers(number_keys, lifetime_s=CACHE_LIFETIME_S)
            cache = SignInCache(key, name, number_keys, numbers)
            if found and value[: 1 + len(numbers)] == cache.stored():
                return self._remember(cache)
            check_active()
            if value is not MISSING:
                self._store.set(key, cache.stored(), lifetime_s=lifetime_s)
            elif not self._store.add(key, cache.stored(), lifetime_s=lifetime_s):
                continue  # another process has made one
            if found is None:
                check_active()  # once more: a sign-out meanwhile found nothing to purge
            return self._remember(cache)
        return None

    def accept(self, token: str) -> None:
        """Note that GET `/me` has accepted a token. Other endpoints may ignore who asks."""
        self._store.set(f"accepted:{cache_key(token)}", 1, lifetime_s=ACCEPTED_S)

    def is_accepted(self, token: str) -> bool:
        """Return whether GET `/me` has accepted a token within a day, so that it is no invented one."""
        return self._store.get(f"accepted:{cache_key(token)}") is not MISSING

    def hand_on(self, old: str, new: str, *, is_proven: bool) -> None:
        """Let `new`, which a refresh has just returned, open the cache of `old`.

        A browser may send the access token of one sign-in with the refresh token of another, or an invented one. So
        the old one has to be an accepted one of the same subject, unless it is proven that both are of one sign-in.
        """
        if old != new and (is_proven or (have_one_subject(old, new) and self.is_accepted(old))):
            key = cache_key(old)
            value = self._store.get(key)
            if value is MISSING:
                # Lost, perhaps while a write with the old token is under way: both have to lead to one cache again.
                value = [self._new_name(_user_of(old))]
                if not self._store.add(key, value, lifetime_s=self._lifetime_s(old)):
                    value = self._store.get(key)
            if _name_in(value):
                self._store.add(cache_key(new), value, lifetime_s=self._lifetime_s(new))

    def spaces(self, *tokens: str, name: str | None = None) -> set[str]:
        """Return the present spaces of the caches that tokens open, expired or not; none of one that is purged."""
        found = self._store.get_many(map(cache_key, tokens)) if tokens else {}
        names = {_number_key(each): each for each in (name, *map(_name_in, found.values())) if each}
        return {f"{names[key]}:{number}" for key, number in self._store.get_many(names).items()}

    # --- numbers, and purges ---

    def generation_keys(self, endpoint: str, cache: SignInCache) -> tuple[str, str]:
        """Return the keys of the numbers of all caches, and of an endpoint. A cluster has a copy beside the pages."""
        tag = f"{cache.name[:HASH_TAG_CHARS]}:" if self._store.tags else ""
        return f"{tag}{_generation_key(None)}", f"{tag}{_generation_key(endpoint)}"

    def generation(self, keys: tuple[str, str], cache: SignInCache, found: Mapping[str, Any]) -> str:
        """Return what a page that is fetched now carries. Makes the numbers that are missing."""
        numbers = tuple(map(found.get, keys))
        if set(map(type, numbers)) != {int}:
            numbers = self._numbers(keys, lifetime_s=GENERATION_LIFETIME_S)
        return "/".join(map(str, (*numbers, *cache.numbers[1:])))

    def clear(self, *, endpoint: str | None = None) -> None:
        """Make a miss of every page of an endpoint, or of all that is cached."""
        key = _generation_key(endpoint)
        self._store.delete_many([f"{tag}:{key}" for tag in self._store.tags] or [key])

    def purge(self, *tokens: str, names: Iterable[str] = ()) -> None:
        """Drop all that is cached for the sign-ins of tokens, in all processes at once; and of names.

        If the store is down, this process does it before it next asks the store for cached data.
        """
        keys = [cache_key(token) for token in tokens]
        remembered = [self._known[key].name for key in keys if key in self._known]
        with self._lock:
            self.pending |= {key: object() for key in (*keys, *map(_number_key, (*names, *remembered)))}
            if len(self.pending) > MAX_PENDING:
                self.pending = {_EVERYTHING: object()}
        self.flush()

    def purge_user(self, subject: str) -> None:
        """Drop all that is cached for the sign-ins of a user; later, if the store is down.

        :param subject: the claim `sub` of the user's access tokens.
        """
        self.purge(names=[_user_name(subject)])

    def flush(self) -> None:
        """Do all purges that wait. Cached reads call it only if there are some.

        :raises StoreUnavailableError: they wait on.
        """
        pending = dict(self.pending)
        if _EVERYTHING in pending:
            self.clear()
        else:
            tokens = [key for key in pending if key.startswith(_OPENS)]
            found = self._store.get_many(tokens) if tokens else {}
            names = filter(None, map(_name_in, found.values()))
            numbers = {key for key in pending if not key.startswith(_OPENS)}
            self._store.delete_many(numbers.union(map(_number_key, names)))
        with self._lock:
            for key, mark in pending.items():
                if self.pending.get(key) is mark:
                    del self.pending[key]

    # --- inside ---

    def _numbers(self, keys: tuple[str, ...], *, lifetime_s: float) -> tuple[int, ...]:
        found = self._store.get_many(keys)
        return tuple([self._number(key, found.get(key), lifetime_s=lifetime_s) for key in keys])

    def _number(self, key: str, found: object, *, lifetime_s: float) -> int:
        """Return the number; a new one where there is none, so that nothing which carries a lost number counts."""
        if isinstance(found, int):
            return found
        number = self.random_below(_END)
        if found is not None:
            note_unknown("a number of cached data")
            self._store.set(key, number, lifetime_s=lifetime_s)
        elif not self._store.add(key, number, lifetime_s=lifetime_s):
            # Another process was first. If its number is lost again at once, ours fits no stored page.
            other = self._store.get(key)
            return other if isinstance(other, int) else number
        return number

    def _new_name(self, user: str) -> str:
        name = f"{self.random_below(2 ** (4 * _NAME_CHARS)):0{_NAME_CHARS}x}"
        return user[:HASH_TAG_CHARS] + name[len(user[:HASH_TAG_CHARS]) :]

    def _is_expired(self, token: str) -> bool:
        end = expires_at(token)
        return end is not None and end + EXPIRY_LEEWAY_S <= self._clock()

    def _lifetime_s(self, token: str) -> float:
        end = expires_at(token)
        left = CACHE_LIFETIME_S if end is None else max(0.0, end - self._clock())
        return min(CACHE_LIFETIME_S, left + USED_TOKEN_KEPT_S)

    def _remember(self, cache: SignInCache) -> SignInCache:
        if len(self._known) >= _MAX_KNOWN:
            self._known.clear()
        self._known[cache.token_key] = cache
        return cache


def have_one_subject(one: str, other: str) -> bool | None:
    """Return whether two tokens name one subject; None where one of them names none."""
    subjects = {subject_of(one), subject_of(other)}
    return None if None in subjects else len(subjects) == 1


@lru_cache(maxsize=256)
def cache_key(token: str) -> str:
    """Return the key of what a token opens. Each read of a request asks for that of the same token."""
    return f"{_OPENS}{hashlib.sha256(token.encode(errors='surrogatepass')).hexdigest()}"


@lru_cache(maxsize=1024)
def subject_of(token: str) -> tuple[str, str | None] | None:
    """Return the claims `sub` and `iss`; None where a token names nobody."""
    user = get_user_from_token(token, backend=current_backend())
    return None if user is None or not user.subject else (user.subject, user.issuer)


def _user_of(token: str) -> str:
    return _user_name(subject[0]) if (subject := subject_of(token)) else ""


def _user_name(subject: str) -> str:
    return hashlib.sha256(f"user:{subject}".encode(errors="surrogatepass")).hexdigest()[:_NAME_CHARS]


def _number_key(name: str) -> str:
    return f"{name}:number"


def _generation_key(endpoint: str | None) -> str:
    return f"generation:{endpoint or ''}"


def _name_in(value: object) -> str | None:
    """Return the name among what a token opens; None for a value that can't be read."""
    name = value[0] if isinstance(value, list) and value else None
    return name if isinstance(name, str) and len(name) == _NAME_CHARS else None

"""The sign-in of one request: which cache its access token opens, and what the request has read.

Each query runs at most once for each request. A write, an invalidation, and tokens of another sign-in empty what it has
read. The client of a command may live for hours. So that is bounded in number and in time; no request reaches a bound.
"""

import itertools
import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final, TypeAlias

from portal.api import TokenStatus
from portal.config.contract_names import ME_PATH
from portal.errors import ApiUnauthorizedError, SignInEndedError, StoreUnavailableError
from portal.query.cache import ReadResult, is_enough
from portal.query.calls import BackendCaller
from portal.query.endpoints import DeclaredQuery, ReadRequest, query_key
from portal.query.sign_in_caches import SignInCache, SignInCaches, cache_key, have_one_subject, subject_of

logger = logging.getLogger("portal.query")

#: `portal.services.user` declares it; a system check compares the two.
PROFILE_QUERY: Final = ReadRequest(
    hook=DeclaredQuery(url=ME_PATH, params=None, stale_while_revalidate=False), key=query_key(endpoint="user.get_me")
)

#: Endpoint, digest of the parameters, and first cursor.
QueryName: TypeAlias = tuple[str, str, str | None]
#: Queries whose results are kept; more begin anew.
MAX_MEMOIZED: Final = 256
#: Seconds for which a result is kept: longer than a request may take.
MEMOIZED_FOR_S: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Memoized:
    """A result, how many pages were asked for, and when."""

    result: ReadResult
    count: int
    at: float

    def answer(self, count: int, *, again: bool) -> ReadResult | None:
        """Return the result of a later call for `count` pages; None where something has to be fetched for it.

        :param again: whether it tries once more what has failed.
        """
        done, has_all = self.result, is_enough(self.result.pages, count)
        if has_all and (not done.is_stale or done.error is None):
            # If there is an error, a page behind these failed.
            return done.memoized(count, error=None)
        has_failed = done.error is not None and count <= self.count and not again
        return done.memoized(count, error=done.error) if has_all or has_failed else None


class RequestCache:
    """Results by query and first cursor. Safe for the threads of one request.

    :param clock: seconds since the epoch.
    :ivar version: changes when it is emptied: by a profile that names other permissions, and for any other reason. A
        read that began at another version may lack a write.
    """

    def __init__(self, *, clock: Callable[[], float]) -> None:
        self.version = (0, 0)
        self._clock = clock
        self._results: dict[QueryName, Memoized] = {}
        self._numbers = itertools.count(1)

    def get(self, name: QueryName) -> Memoized | None:
        """Return the query's result, if this request has read the query."""
        known = self._results.get(name)
        return known if known is not None and 0 <= self._clock() - known.at < MEMOIZED_FOR_S else None

    def put(self, name: QueryName, result: ReadResult, *, count: int, at: float | None) -> None:
        """Keep a result.

        :param at: when its oldest part was put here, where the read went on from that part; None for now.
        """
        if len(self._results) >= MAX_MEMOIZED:
            self._results = {}
        self._results[name] = Memoized(result=result, count=count, at=self._clock() if at is None else at)

    def clear(self, *, by_profile: bool = False) -> None:
        """Empty it: a write may have changed what was read, or it is another user's by now.

        :param by_profile: because a profile names other permissions.
        """
        profiles, others = self.version
        number = next(self._numbers)
        self.version = (number, others) if by_profile else (profiles, number)
        self._results = {}


class RequestSignIn:
    """The tokens of one request, and their cache. A refresh or a sign-in may change the tokens during the request.

    :param clock: seconds since the epoch.
    :ivar memo: is emptied when the request's data becomes another sign-in's, or is purged.
    :ivar has_two_users: whether a refresh gave a token of another user than the one before, as a browser may send after
        two sign-ins: what the request read before it must not be shown beside what it reads now.
    """

    def __init__(self, *, caches: SignInCaches, caller: BackendCaller, clock: Callable[[], float]) -> None:
        self.memo = RequestCache(clock=clock)
        self._caches = caches
        self._caller = caller
        self._tokens = caller.tokens
        self._tokens.hand_on = caches.hand_on
        self._synced = self._tokens.incoming.access
        self._is_fresh = False
        self.has_two_users = False

    @property
    def token(self) -> str | None:
        """The access token that calls carry now."""
        return self._tokens.current.access

    def cache(self) -> SignInCache | None:
        """Return the cache of the request's access token, which is refreshed first if it has expired.

        None where there is no token, and where the store is down.

        :raises SignInEndedError: the sign-in is over.
        :raises ApiError: the token has expired and there is no fresh one now; or the tokens are of two users.
        """
        if self._tokens.ended:
            raise SignInEndedError("this sign-in has ended")
        self.sync_with_tokens()
        if not self._is_fresh:
            had_two_users = self.has_two_users
            self._caller.ensure_fresh()
            self._is_fresh = True
            self.sync_with_tokens()
            # Nothing was read with an expired token.
            self.has_two_users = had_two_users
        self.check_one_user()
        return (self._caches.known(self.token) if self.token else None) or self.reopened()

    def reopened(self) -> SignInCache | None:
        """Return the cache as it is in the store, because the process does not know it, or knows an older one.

        :raises SignInEndedError: the token was signed out.
        """
        try:
            return self._caches.open(self.token, check_active=self._caller.end_if_signed_out)
        except StoreUnavailableError as error:
            logger.warning("read without the cache: %s", error)
            # A sign-out is not known then either, if both stores are one.
            self._caller.end_if_signed_out()
            return None

    def sync_with_tokens(self) -> None:
        """Follow a change of the tokens: those of another sign-in forget what was read."""
        before, now = self._synced, self._tokens.current.access
        if before != now:
            self._synced = now
            if (
                before
                and now
                and self._tokens.status is TokenStatus.REFRESHED
                and have_one_subject(before, now) is False
            ):
                self.has_two_users = True
            if not self._is_of_one_sign_in(before, now):
                self._is_fresh = False
                self.memo.clear()

    def has(self, cache: SignInCache, *, sent: str | None) -> bool:
        """Return whether a response that just came is certainly of this cache: the tokens may have changed meanwhile.

        :param sent: the access token before the call.
        :raises ApiUnauthorizedError: the tokens are of two users, as a browser may send after two sign-ins.
        """
        self.sync_with_tokens()
        self.check_one_user()
        return all(each is not None and self._opens(each, cache) for each in {sent, self.token})

    def is_accepted(self) -> bool:
        """Return whether GET `/me` has accepted the access token, expired or not; False if the store is down."""
        with suppress(StoreUnavailableError):
            return self._caches.is_accepted(self.token or "")
        return False

    def accept(self, sent: str | None) -> None:
        """Note that GET `/me` has accepted the token with which it was sent, if that is still the request's."""
        if sent is not None and sent == self.token:
            with suppress(StoreUnavailableError):
                self._caches.accept(sent)

    def check_one_user(self) -> None:
        """Refuse tokens of two users.

        :raises ApiUnauthorizedError: see `has_two_users`.
        """
        if self.has_two_users:
            raise ApiUnauthorizedError("These tokens belong to two different sign-ins.", status=401)

    def purge(self, *, also: Collection[str | None] = (), by_profile: bool = False) -> None:
        """Drop all that is cached for this request's sign-in, in all processes at once.

        :param also: further access tokens of the same sign-in.
        :param by_profile: because GET `/me` has just named other permissions.
        """
        self.memo.clear(by_profile=by_profile)
        tokens = {self._tokens.incoming.access, self._tokens.current.access, self._synced, *also}
        self._do_or_wait(lambda: self._caches.purge(*filter(None, tokens)))

    def purge_user(self, subject: str | None = None) -> None:
        """Drop all that is cached for all sign-ins of a user, in all processes; later, if the store is down.

        :param subject: the claim `sub` of the user's access tokens; by default this request's user. Where the token
            names nobody, the caches of this sign-in alone are known.
        """
        named = subject or (subject_of(self.token or "") or ("",))[0]
        if not named:
            return self.purge()
        self.memo.clear()
        return self._do_or_wait(lambda: self._caches.purge_user(named))

    @contextmanager
    def purged_if_ended(self) -> Iterator[None]:
        """A block in which the end of the sign-in takes its cached data with it."""
        try:
            yield
        except SignInEndedError:
            self.purge()
            raise

    def spaces(self, cache: SignInCache | None, *, sent: str | None) -> set[str]:
        """Return the spaces whose write logs must record a completed write.

        They are read from the store: what opens a cache may have been lost, and made again, while the write was under
        way. A cache that is opened after the write was done holds nothing older, but for the backend's lag. If the
        store is down, what these tokens open is dropped as soon as it is back.

        :param cache: the one from before the write left.
        :param sent: the access token before the write left.
        """
        self.sync_with_tokens()
        tokens = {token for token in (self.token, sent) if token is not None}
        try:
            return self._caches.spaces(*tokens, name=None if cache is None else cache.name)
        except StoreUnavailableError:
            names = [] if cache is None else [cache.name]
            self._do_or_wait(lambda: self._caches.purge(*tokens, names=names))
            return set()

    def _is_of_one_sign_in(self, old: str | None, new: str | None) -> bool:
        """Return whether a refresh of this request gave `new` for `old`, and both open one cache."""
        if old is None or new is None or self._tokens.status is not TokenStatus.REFRESHED:
            return False
        space = self._space_of(new)
        return bool(space) and space == self._space_of(old)

    def _opens(self, token: str, cache: SignInCache) -> bool:
        return cache_key(token) == cache.token_key or self._space_of(token) == {cache.space}

    def _space_of(self, token: str) -> set[str]:
        """Return the present space of the cache that a token opens; none also if the store is down."""
        with suppress(StoreUnavailableError):
            return self._caches.spaces(token)
        return set()

    @staticmethod
    def _do_or_wait(purge: Callable[[], None]) -> None:
        try:
            purge()
        except StoreUnavailableError as error:
            logger.warning("what is cached for a sign-in is dropped as soon as the store is back: %s", error)

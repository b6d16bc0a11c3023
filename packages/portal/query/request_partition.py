"""The request partition: which user's cached data one request may read."""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from portal.api import TokenStatus
from portal.config.contract_names import ME_PATH
from portal.errors import ApiUnauthorizedError, SignInEndedError, StoreUnavailableError
from portal.query.endpoints import DeclaredQuery, ReadRequest, query_key
from portal.query.partition import (
    different_subjects,
    principal_of_sign_in,
    principals_of_user,
    same_subject,
    subject_of,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from portal.query.calls import BackendCaller
    from portal.query.partition import Namespaces, Partition
    from portal.query.request_cache import RequestCache

logger = logging.getLogger("portal.query")

_DROPPED_LATER: Final = "what is cached for a user is dropped as soon as the store is back: %s"

#: The query whose success binds a token. `portal.services.user` declares it; a system check compares the two.
PROFILE_QUERY: Final = ReadRequest(
    hook=DeclaredQuery(url=ME_PATH, params=None, stale_while_revalidate=False), key=query_key(endpoint="user.get_me")
)


class RequestPartition:
    """The partition that one request's tokens open. A refresh or a sign-in may change the tokens during the request.

    :param request_cache: is emptied when the request's data becomes another user's, or is purged.
    """

    def __init__(self, *, namespaces: Namespaces, caller: BackendCaller, request_cache: RequestCache) -> None:
        self._request_cache = request_cache
        self._namespaces = namespaces
        self._caller = caller
        self._tokens = caller.tokens
        self._synced = self._tokens.incoming.access
        self._is_fresh = False
        self._active: str | None = None
        self._has_written = False
        self._lock = threading.Lock()

    @property
    def token(self) -> str | None:
        """The access token that calls carry now."""
        return self._tokens.current.access

    @property
    def is_bound(self) -> bool:
        """Whether the request's access token is bound to a user, expired or not; False if the store is down."""
        try:
            return self.token is not None and self._namespaces.principal_of(self.token) is not None
        except StoreUnavailableError:
            return False

    @property
    def known(self) -> Partition | None:
        """The partition of the request's access token, if it is bound and has not expired; nothing is refreshed."""
        return self._partition_of(self.token)

    def same_user_as(self, token: str | None) -> bool:
        """Whether the request's tokens are still those of the user who had this access token."""
        now = self.token
        if now == token:
            return True
        if self._tokens.status is not TokenStatus.REFRESHED or token is None or now is None:
            return False
        return same_subject(token, now) or self._is_of_one_sign_in(token, now)

    def current(self) -> Partition | None:
        """The partition of the request's access token, which is refreshed first if it has expired; None if unbound.

        :raises SignInEndedError: the sign-in is over.
        :raises ApiError: the token has expired and there is no fresh one now.
        """
        if self._tokens.ended:
            raise SignInEndedError("this sign-in has ended")
        self.sync_with_tokens()
        if not self._is_fresh:
            self._caller.ensure_fresh()
            self._is_fresh = True
            self.sync_with_tokens()
        partition = self._partition_of(self._tokens.current.access)
        if partition is None:
            self._end_if_signed_out()
        return partition

    def sync_with_tokens(self) -> None:
        """Follow a change of the tokens. A refresh binds the new token; another sign-in forgets what was read."""
        if self._synced == self._tokens.current.access:
            return
        with self._lock:
            before, now = self._synced, self._tokens.current.access
            self._synced = now
        if before == now:
            return
        if before is None or now is None or not (same_subject(before, now) or self._is_of_one_sign_in(before, now)):
            self._is_fresh = False
            self._request_cache.clear()
        elif self._tokens.status is TokenStatus.REFRESHED:
            try:
                self._namespaces.rebind(old=before, new=now)
            except StoreUnavailableError as error:
                logger.warning("a refreshed token was not bound: %s", error)

    def _is_of_one_sign_in(self, old: str, new: str) -> bool:
        """Whether tokens that may name nobody are of one user: what stands for the user of `old` is the sign-in that
        `new` was refreshed in. A browser may send the access token of one sign-in with the refresh token of another.
        """
        try:
            principal = self._namespaces.principal_of(old)
            name = None if principal is None else self._sign_in_of(new)
        except StoreUnavailableError:
            return False
        return name is not None and principal == principal_of_sign_in(name)

    def _sign_in_of(self, token: str) -> str | None:
        """The name of the sign-in, if this request received the token together with its refresh token; else None.

        :raises StoreUnavailableError: nobody knows.
        """
        pair = self._tokens.current
        if not self._tokens.changed or pair.access != token or pair.refresh is None:
            return None
        return self._caller.api.refresher.sign_in_of(pair.refresh)

    @property
    def _is_just_issued(self) -> bool:
        """Whether a sign-in in this request received the token: no write has left with it."""
        return self._tokens.status is TokenStatus.SIGNED_IN and not self._has_written

    def may_have_written(self) -> None:
        """Note that a write leaves with a token that is not bound."""
        self._has_written = True

    def expected_namespaces(self) -> list[str]:
        """The namespaces whose version stamps the first `/me` of a sign-in may have; none for any other token.

        The answer of `/me` to another token may lack a write that nobody could record, and that no stamp counts.
        """
        token = self.token
        if token is None or not self._is_just_issued:
            return []
        try:
            return self._namespaces.expected(token, sign_in=lambda: self._sign_in_of(token))
        except StoreUnavailableError as error:
            logger.warning("read without the cache: %s", error)
            return []

    def bind_from_profile(self, profile: Any, *, sent: str | None) -> Partition | None:
        """Bind the request's access token to the user whom a response of GET `/me` names.

        :param sent: the access token before the call. If a refresh came in between, nobody knows which of the two
            tokens the backend answered, so both must name the same subject.
        :returns: that user's partition; None if no token was bound.
        :raises SignInEndedError: the token was signed out while the call was under way.
        """
        token = self.token
        if token is None or (token != sent and (sent is None or not same_subject(sent, token))):
            return None
        try:
            before = self._namespaces.partition_of(token)
            partition = self._namespaces.bind(
                token, profile, sign_in=lambda: self._sign_in_of(token), has_written=not self._is_just_issued
            )
        except StoreUnavailableError as error:
            logger.warning("the profile binds no token without the store: %s", error)
            return None
        # A sign-out leaves its tombstone before it purges. If it purged before this binding, the tombstone is found
        # here, and the new namespace is purged too. If not, its purge takes this binding with it.
        self._caller.end_if_signed_out()
        if before is not None and partition != before:
            self._request_cache.clear(by_profile=True)
        return partition

    def still_has(self, partition: Partition, *, sent: str | None) -> bool:
        """Whether a response that just came is certainly of this partition: the tokens may have changed meanwhile.

        :param sent: the access token before the call.
        :raises ApiUnauthorizedError: the tokens are of two users, as a browser may send after two sign-ins.
        """
        if self.answers_for(partition, sent=sent):
            return True
        token = self.token
        if sent is not None and token is not None and different_subjects(sent, token):
            raise ApiUnauthorizedError("These tokens belong to two different sign-ins.", status=401)
        return False

    def answers_for(self, partition: Partition, *, sent: str | None) -> bool:
        """Like `still_has`, but returns False instead of raising."""
        token = self.token
        if token != sent:
            self.sync_with_tokens()
        return self._partition_of(sent) == partition == self._partition_of(token)

    def unbind(self, partition: Partition) -> None:
        """Discard the binding of the request's token, because the namespace of `partition` was purged.

        :raises SignInEndedError: it was purged because the token was signed out.
        """
        self._request_cache.clear()
        token = self.token
        if token is not None:
            try:
                self._namespaces.unbind(token, partition)
            except StoreUnavailableError as error:
                logger.warning("a token binding that is not current was not deleted: %s", error)
        self._end_if_signed_out()

    def purge(self, *, also: Collection[str | None] = ()) -> None:
        """Drop all that is cached for this request's user, in all processes at once.

        :param also: further access tokens of the same sign-in. One that replaced the request's own token may be the
            only one that was ever bound.
        """
        self._request_cache.clear()
        for token in {self._tokens.incoming.access, self._tokens.current.access, self._synced, *also}:
            if token is not None:
                self._purge_token(token)
                if subject_of(token) is None:
                    self._purge_sign_ins()

    @contextmanager
    def purged_if_ended(self) -> Iterator[None]:
        """A block in which the end of the sign-in takes its cached data with it."""
        try:
            yield
        except SignInEndedError:
            self.purge()
            raise

    def purge_user(self, user_id: str) -> None:
        """Drop all that is cached for the user with this id, in all processes; later, if the store is down.

        Where the subject of the user's tokens is another text, that is dropped with the next GET `/me`.
        """
        own = subject_of(self.token) if self.token is not None else None
        for principal in principals_of_user(user_id, issuers=[own.issuer] if own is not None else []):
            try:
                self._namespaces.purge(principal)
            except StoreUnavailableError as error:
                logger.warning(_DROPPED_LATER, error)

    def principals_of_write(self, partition: Partition | None, *, sent: str | None) -> set[str]:
        """The users whose write logs must record this completed write.

        A token that was not bound when the write left may be bound by now. If no process has bound it, then its first
        binding will begin a generation, and no older page is shown (:mod:`portal.query.partition.namespaces`). If the
        store is down, the user this token is bound to is purged as soon as the store is back.

        :param partition: the one from before the write left.
        :param sent: the access token before the write left.
        """
        self.sync_with_tokens()
        principals = set() if partition is None else {partition.principal}
        tokens = {token for token in (self.token, sent) if token is not None}
        for token in tokens if partition is None else tokens - {sent}:
            try:
                principal = self._namespaces.principal_of(token)
            except StoreUnavailableError:
                self._purge_token(token)
            else:
                principals.update([] if principal is None else [principal])
        return principals

    def _end_if_signed_out(self) -> None:
        """Look for a tombstone if the token is not bound: a sign-out takes the namespace, and with it all bindings.

        So a valid token that was signed out is found before it gets any response. A bound token costs nothing here.

        :raises SignInEndedError: the token was signed out.
        """
        token = self.token
        if token is not None and token != self._active:
            self._caller.end_if_signed_out()
            self._active = self.token

    def _purge_token(self, token: str) -> None:
        try:
            self._namespaces.purge_token(token)
        except StoreUnavailableError as error:
            logger.warning(_DROPPED_LATER, error)

    def _purge_sign_ins(self) -> None:
        """Purge the user who is known by the sign-in alone: not every token of it is bound to that user."""
        for refresh in {self._tokens.incoming.refresh, self._tokens.current.refresh} - {None}:
            try:
                name = self._caller.api.refresher.sign_in_of(str(refresh))
                self._namespaces.purge(principal_of_sign_in(name))
            except StoreUnavailableError as error:
                logger.warning(_DROPPED_LATER, error)

    def _partition_of(self, token: str | None) -> Partition | None:
        if token is None:
            return None
        try:
            return self._namespaces.partition_of(token)
        except StoreUnavailableError as error:
            logger.warning("read without the cache: %s", error)
            return None

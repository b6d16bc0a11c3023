"""Whose namespace this request reads: from its tokens to a scope, by proof."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any, Final

from portal.api.tokens import TokenStatus
from portal.config.wire_names import ME_PATH
from portal.errors import ApiUnauthorizedError, SignInEndedError, StoreUnavailableError
from portal.query.endpoints import ReadRequest, query_key
from portal.query.partition.namespaces import same_subject

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from portal.query.backend_calls import BackendCaller
    from portal.query.partition.namespaces import Namespaces
    from portal.query.partition.token_bindings import Scope

logger = logging.getLogger("portal.query")

#: The query whose success proves a token. `portal.services.user` declares it; a system check holds them together.
PROFILE_QUERY: Final = ReadRequest(key=query_key(endpoint="user.get_me"), url=ME_PATH, stale_while_revalidate=False)


class RequestPartition:
    """The scope of one request's tokens, which a refresh or a sign-in may change on the way.

    :param forget: drops what the request remembers: its tokens are another user's by now.
    """

    def __init__(self, *, namespaces: Namespaces, caller: BackendCaller, forget: Callable[[], None]) -> None:
        self._namespaces = namespaces
        self._caller = caller
        self._tokens = caller.tokens
        self._forget = forget
        self._seen = self._tokens.incoming.access
        self._is_fresh = False
        self._alive: str | None = None
        self._lock = threading.Lock()

    @property
    def token(self) -> str | None:
        """The access token that calls carry now."""
        return self._tokens.current.access

    @property
    def is_proven(self) -> bool:
        """Whether GET `/me` once said whose the request's access token is; no where that can't be looked up."""
        try:
            return self.token is not None and self._namespaces.principal_of(self.token) is not None
        except StoreUnavailableError:
            return False

    def is_still(self, asker: str | None) -> bool:
        """Whether the request's tokens are still those of the user who asked with this access token."""
        token = self.token
        if token == asker:
            return True
        renewed = self._tokens.fate is TokenStatus.RENEWED and asker is not None and token is not None
        return renewed and not _name_different_users(str(asker), str(token))

    def current(self) -> Scope | None:
        """The scope of the request's access token, refreshed first if it has expired; None without a proof.

        :raises SignInEndedError: the sign-in is over.
        :raises ApiError: it has expired and no fresh one can be had now.
        """
        if self._tokens.ended:
            raise SignInEndedError("this sign-in has ended")
        self.follow()
        if not self._is_fresh:
            self._caller.ensure_fresh()
            self._is_fresh = True
            self.follow()
        scope = self._scope_of(self.token)
        if scope is None:
            self._end_if_signed_out()
        return scope

    def _end_if_signed_out(self) -> None:
        """Ask for a tombstone where a token opens nothing: a sign-out takes its namespace, and all proofs with it.

        So a valid token that was signed out is found before any answer is delivered for it, and one with a proof
        that stands costs nothing more.

        :raises SignInEndedError: it was signed out.
        """
        if self.token is not None and self.token != self._alive:
            self._caller.end_if_signed_out()
            self._alive = self.token

    def follow(self) -> None:
        """Follow the tokens: a refresh hands the proof on, another sign-in or none ends what the request remembers."""
        if self._seen == self.token:
            return
        with self._lock:
            before, now = self._seen, self.token
            self._seen = now
        if before == now:
            return
        if before is None or now is None or not same_subject(before, now):
            self._is_fresh = False
            self._forget()
        elif self._tokens.fate is TokenStatus.RENEWED:
            try:
                self._namespaces.inherit(old=before, new=now)
            except StoreUnavailableError as error:
                logger.warning("a proof was not handed on: %s", error)

    def learn(self, profile: Any, *, sent: str | None) -> None:
        """Take a profile that GET `/me` gave as proof of the token that it was sent with.

        :param sent: the access token before the call. If a refresh came in between, it is not known which of the
            two the backend answered, so both must name the same subject.
        :raises SignInEndedError: the token was signed out while the profile was on its way.
        """
        token = self.token
        if token is None or (token != sent and (sent is None or not same_subject(sent, token))):
            return
        try:
            before = self._namespaces.scope_of(token)
            scope = self._namespaces.prove(token, profile)
        except StoreUnavailableError as error:
            logger.warning("the profile proves nothing without the store: %s", error)
            return
        # A sign-out leaves its tombstone before it purges. One that purged before this proof is found here, and what
        # the proof opened is purged again; one that has left none yet will take the proof with it.
        self._caller.end_if_signed_out()
        if before is not None and scope != before:
            self._forget()

    def is_unchanged(self, scope: Scope, *, sent: str | None) -> bool:
        """Whether an answer that just came is certainly this scope's: the tokens may have changed on the way.

        :param sent: the access token before the call.
        :raises ApiUnauthorizedError: the tokens are of two different users, as a browser may send after two sign-ins.
        """
        token = self.token
        if token != sent:
            self.follow()
        if self._scope_of(sent) == scope == self._scope_of(token):
            return True
        if sent is not None and token is not None and _name_different_users(sent, token):
            raise ApiUnauthorizedError("These tokens belong to two different sign-ins.", status=401)
        return False

    def refute(self, scope: Scope) -> None:
        """The namespace of `scope` is gone, so the present token's proof is worth nothing, nor what was read.

        :raises SignInEndedError: it is gone because the token was signed out.
        """
        self._forget()
        token = self.token
        if token is not None:
            try:
                self._namespaces.refute(token, scope)
            except StoreUnavailableError as error:
                logger.warning("a worthless proof was not dropped: %s", error)
        self._end_if_signed_out()

    def purge(self, *, also: Collection[str | None] = ()) -> None:
        """Drop all that is cached for this request's user, in all processes at once.

        :param also: further access tokens of the same sign-in: one that replaced the request's own may be the
            only one that was ever proven.
        """
        self._forget()
        for token in {self._tokens.incoming.access, self._tokens.current.access, self._seen, *also}:
            if token is not None:
                self._purge_for(token)

    def principals_of_write(self, scope: Scope | None, *, sent: str | None) -> set[str]:
        """In whose logs a write belongs that is done: those whom its tokens were proven to be of.

        A token that was not proven when it left may be by now. If no process has proven it until now, nobody's cached
        pages are shown to it that are older than the write (:mod:`.partition.namespaces`); if the store can't be
        asked, whom it opens a namespace of is purged as soon as it can.

        :param scope: as it was before the write left.
        :param sent: the access token before the write left.
        """
        self.follow()
        principals = set() if scope is None else {scope.principal}
        tokens = {token for token in (self.token, sent) if token is not None}
        for token in tokens if scope is None else tokens - {sent}:
            try:
                principal = self._namespaces.principal_of(token)
            except StoreUnavailableError:
                self._purge_for(token)
            else:
                principals.update([] if principal is None else [principal])
        return principals

    def _purge_for(self, token: str) -> None:
        try:
            self._namespaces.purge_for(token)
        except StoreUnavailableError as error:
            logger.warning("what is cached for a user is dropped as soon as the store is back: %s", error)

    def _scope_of(self, token: str | None) -> Scope | None:
        if token is None:
            return None
        try:
            return self._namespaces.scope_of(token)
        except StoreUnavailableError as error:
            logger.warning("read without the cache: %s", error)
            return None


def _name_different_users(one: str, other: str) -> bool:
    """Whether both tokens name a subject, and not the same one."""
    return same_subject(one, one) and same_subject(other, other) and not same_subject(one, other)

"""What the backend was seen not to have: optional calls, and parameters of lists.

Each gap is one record in the store, for all processes, with the process's memory in front of it. For ten minutes the
call is not made, or the parameter is not relied on. Then it is asked again (:mod:`portal.query.hooks.backend_gaps`).
What was last known stays known until an answer says otherwise. While the store is down, each process has what it saw
itself.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from portal.config.limits import ABSENT_S
from portal.errors import ApiAbsentError, StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from portal.errors import ApiError
    from portal.query.endpoints import ReadRequest, WriteRequest
    from portal.query.partition import Partition
    from portal.store import SharedStore

logger = logging.getLogger("portal.query")

#: How long the store keeps what was last known, seconds.
_KEPT_S: Final = 24 * 60 * 60
#: How long a process goes by its memory before it looks into the store again, seconds.
LOOKED_S: Final = 30.0
#: Names of single users that a process has in memory.
_MOST: Final = 4096
#: In the name of a gap of one user, and in no other.
_OF_A_USER: Final = ":"

#: These say that there is no such call, whoever asks.
_NO_METHOD: Final = frozenset({HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_IMPLEMENTED})
_NO_CALL: Final = _NO_METHOD | {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}
#: These may be about the user who asks.
_NOT_FOR_THIS_USER: Final = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN})


#: A call, as far as it may be absent: its `without` is empty for one that every backend must have.
OptionalCall: TypeAlias = "ReadRequest | WriteRequest"


class Gap(NamedTuple):
    """What was seen.

    :param status: of the answer; 200 for a parameter that the backend took and did not follow.
    :param until: until when it counts without another answer, seconds since the epoch.
    """

    status: int
    until: float


@dataclass(slots=True)
class _Noted:
    """What a process knows of one name: the gap, or that there was none when it last looked (monotonic seconds)."""

    gap: Gap | None
    looked: float


class KnownGaps:
    """The gaps that one process knows, and the store for all. Safe for threads, and for a store that is down."""

    def __init__(self, *, store: SharedStore) -> None:
        self._store = store
        # As many as are declared. Read without the lock: one look-up in a dict.
        self._noted: dict[str, _Noted] = {}
        self._own: OrderedDict[str, _Noted] = OrderedDict()
        self._has_refusals = False
        self._revision = 0
        self._seen: set[str] = set()
        # Until when it is not tried again, seconds since the epoch. As many as parameters of lists are declared.
        self._tried: dict[str, float] = {}
        self._lock = threading.Lock()

    @property
    def revision(self) -> int:
        """Another number after this process has learned of a gap, of the end of one, or of a parameter's effect."""
        return self._revision

    @property
    def has_refusals(self) -> bool:
        """Whether this process knows of anything that is refused to single users."""
        return self._has_refusals

    def last(self, names: Collection[str], *, also: Callable[[], Iterable[str]]) -> Gap | None:
        """The gap that was last seen under one of the names, however long ago; None for none.

        The store is asked if this process has not looked for a while, then for what `also` gives too; and not for what
        is refused to one user, of which this process knows what it has met.
        """
        shared = [name for name in names if _OF_A_USER not in name]
        if self._is_due(shared):
            self._look_up({*shared, *also()})
        return self._remembered(names)

    def current(self, names: Collection[str], *, now: float) -> Gap | None:
        """The gap under one of the names that was seen within the last ten minutes. Asks the store only without one."""
        gap = self._remembered(names)
        if (gap is None or gap.until <= now) and self._is_due(names):
            self._look_up(names)
            gap = self._remembered(names)
        return gap if gap is not None and gap.until > now else None

    def remembered(self, names: Collection[str], *, now: float) -> Gap | None:
        """The same by this process's memory alone."""
        gap = self._remembered(names)
        return gap if gap is not None and gap.until > now else None

    def learn(self, name: str, *, status: int, now: float) -> bool:
        """Note a gap for all processes. Returns whether it is news to this one."""
        known, gap = self._remembered([name]), Gap(status, now + ABSENT_S)
        self._seen.discard(name)
        self._remember({name: gap})
        try:
            self._store.set(_key(name), list(gap), lifetime_s=_KEPT_S)
        except StoreUnavailableError as error:
            logger.info("%s: known in this process alone: %s", name, error)
        return known is None

    # --- optional calls ---

    def check(self, call: OptionalCall, partition: Partition | None, *, now: float) -> None:
        """Make no call that the backend is known not to have.

        :raises ApiAbsentError: it is known.
        """
        gap = self.current(call_names(call.endpoint, partition), now=now) if call.hook.without else None
        if gap is not None:
            raise ApiAbsentError("The backend does not have this.", status=gap.status)

    def absence(
        self, error: ApiError, call: OptionalCall, partition: Partition | None, *, is_bare: bool = True, now: float
    ) -> ApiError:
        """What a failure is: if it says that the backend does not have an optional call, that is learned.

        :param partition: of who asked; None where the answer says nothing of that user.
        :param is_bare: whether a read had no values of a user in its parameters.
        :returns: the error for who asked; of a call that is absent, `error` is its cause.
        """
        if not call.hook.without or isinstance(error, ApiAbsentError):
            return error
        is_for_all = _says_no_call(error, call, is_bare=is_bare)
        is_for_one = partition is not None and self._refuses_one(error, call, is_bare=is_bare)
        if not is_for_all and not is_for_one:
            return error
        whose = None if is_for_all else partition
        self.learn_absent(call.endpoint, whose, status=error.status, without=call.hook.without, now=now)
        absent = ApiAbsentError(error.detail, status=error.status)
        absent.__cause__ = error
        return absent

    def learn_absent(
        self, endpoint: str, partition: Partition | None, *, status: int | None, without: str, now: float
    ) -> None:
        """Note that the backend does not have an optional call: for one user, or for all if `partition` is None."""
        name = call_names(endpoint, partition)[-1]
        if self.learn(name, status=status or HTTPStatus.NOT_FOUND, now=now):
            what = "the backend does not have this call" if partition is None else "this call is refused to a user"
            logger.info("%s: %s (%s); it is asked again after ten minutes. %s", endpoint, what, status, without)

    def _refuses_one(self, error: ApiError, call: OptionalCall, *, is_bare: bool) -> bool:
        """Whether an answer counts for the user who asked. A row that is not there is no gap.

        Neither is what a user typed, where the call was seen to work: a body, or a parameter.
        """
        if call.hook.in_path or ((_writes(call) or not is_bare) and self.was_answered(call.endpoint)):
            return False
        return error.status in _NO_CALL or (error.status in _NOT_FOR_THIS_USER and not _writes(call))

    def answered(self, call: OptionalCall, partition: Partition | None) -> None:
        """The backend has just answered the call, so it has it."""
        if call.hook.without:
            self._seen.add(call.endpoint)
            self.forget(call_names(call.endpoint, partition))

    def was_answered(self, name: str) -> bool:
        """Whether this process has seen the backend answer the optional call, or follow the parameter of a list."""
        return name in self._seen

    def followed(self, name: str) -> None:
        """The backend follows a parameter of a list, so its totals may be told."""
        with self._lock:
            self._revision += name not in self._seen
            self._seen.add(name)

    def tried(self, name: str, *, now: float) -> None:
        """Note that this process has tried to see that, and could not."""
        self._tried[name] = now + ABSENT_S

    def was_tried(self, name: str, *, now: float) -> bool:
        """Whether it has within the last ten minutes."""
        return self._tried.get(name, 0) > now

    def clear(self) -> None:
        """Know nothing, in the store neither: what one test has seen of its backend must not reach the next."""
        self.forget([*self._noted, *self._own])
        for known in (self._noted, self._own, self._seen, self._tried):
            known.clear()
        self._has_refusals = False

    def forget(self, names: Collection[str]) -> None:
        """The backend has answered: it has the call. Costs nothing where nothing was noted."""
        gone = [name for name in names if self._remembered([name]) is not None]
        if not gone:
            return
        self._remember(dict.fromkeys(gone))
        try:
            self._store.delete_many(map(_key, gone))
        except StoreUnavailableError as error:
            logger.info("%s: no longer absent, in this process alone: %s", gone[0], error)

    def _remembered(self, names: Collection[str]) -> Gap | None:
        found: Gap | None = None
        for name in names:
            noted = (self._own if _OF_A_USER in name else self._noted).get(name)
            gap = None if noted is None else noted.gap
            if gap is not None and (found is None or gap.until > found.until):
                found = gap
        return found

    def _is_due(self, names: Collection[str]) -> bool:
        now = time.monotonic()
        for name in names:
            noted = (self._own if _OF_A_USER in name else self._noted).get(name)
            if noted is None or now - noted.looked >= LOOKED_S:
                return True
        return False

    def _look_up(self, names: Collection[str]) -> None:
        keys = {_key(name): name for name in names}
        try:
            found = self._store.get_many(keys)
        except StoreUnavailableError:
            self._remember({name: self._remembered([name]) for name in names})
            return
        self._remember({name: _parsed(found.get(key)) for key, name in keys.items()})

    def _remember(self, gaps: dict[str, Gap | None] | dict[str, Gap]) -> None:
        looked = time.monotonic()
        with self._lock:
            self._revision += any(gap != self._remembered([name]) for name, gap in gaps.items())
            for name, gap in gaps.items():
                if _OF_A_USER not in name:
                    self._noted[name] = _Noted(gap, looked)
                    continue
                self._own[name] = _Noted(gap, looked)
                self._own.move_to_end(name)
                self._has_refusals = self._has_refusals or gap is not None
            while len(self._own) > _MOST:
                self._own.popitem(last=False)


def call_names(endpoint: str, partition: Partition | None) -> list[str]:
    """The names of a call's gap: for all users, and for what one user may see.

    That is the user's permissions, not what is cached: a purge gives the backend no new calls.
    """
    if partition is None:
        return [endpoint]
    return [endpoint, f"{partition.principal}{_OF_A_USER}{partition.view}{_OF_A_USER}{endpoint}"]


def param_name(endpoint: str, param: str) -> str:
    """The name of a gap of a list's parameter, by its name on the wire."""
    return f"{endpoint}?{param}"


def _says_no_call(error: ApiError, call: OptionalCall, *, is_bare: bool) -> bool:
    """Whether an answer says to all users that there is no such call."""
    if error.status in _NO_METHOD:
        return True
    return error.status in _NO_CALL and is_bare and not _writes(call) and not call.hook.in_path


def _writes(call: OptionalCall) -> bool:
    return call.hook.kind == "mutation"


def _key(name: str) -> str:
    return f"gap:{name}"


def _parsed(value: object) -> Gap | None:
    match value:
        case [int(status), int() | float() as until, *_]:
            return Gap(status, float(until))
    return None

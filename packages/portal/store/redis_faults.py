"""Why a Redis can't be used, in words that name no address, no user and no password."""

import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from redis.exceptions import AuthenticationError, BusyLoadingError, MovedError, ReadOnlyError, ResponseError
from redis.exceptions import ClusterDownError as NoSlotsError
from redis.exceptions import TimeoutError as RedisTimeoutError
from redis.sentinel import MasterNotFoundError


@dataclass(frozen=True, slots=True)
class RedisFault:
    """Why an operation failed.

    :param cause: a sentence about the Redis, without its subject.
    :param kind: what helps: a change of the configuration; time, since the server starts, is elected, or a network is
        away; or room, since the configuration is right, and the server takes no writes at the moment.
    """

    cause: str
    kind: Literal["mistake", "away", "no writes"]


def explain_fault(error: BaseException) -> RedisFault:
    """The fault that an error of redis-py, or of what it is caused by, tells of."""
    chain = list(_chain(error))
    for kinds, fault in _FAULTS:
        if any(isinstance(each, kinds) for each in chain):
            return fault
    certificate = next((each for each in chain if isinstance(each, ssl.SSLCertVerificationError)), None)
    if certificate is not None:
        return RedisFault(f"its certificate is not trusted: {certificate.verify_message}", _MISTAKE)
    if any(isinstance(each, ssl.SSLError) for each in chain):
        return RedisFault("it does not speak TLS at that port: rediss:// is TLS, redis:// is not", _MISTAKE)
    refusal = next((each for each in chain if isinstance(each, ResponseError)), None)
    if refusal is not None:
        return _explain_refusal(str(refusal))
    if any(isinstance(each, ConnectionResetError) or "closed by server" in str(each) for each in chain):
        return RedisFault("it closes each connection, as a port for TLS does: rediss:// is TLS", _AWAY)
    return RedisFault(f"it does not answer: {type(chain[-1]).__name__}", _AWAY)


_MISTAKE: Final = "mistake"
_AWAY: Final = "away"
_NO_WRITES: Final = "no writes"
_FAULTS: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], RedisFault], ...] = (
    (AuthenticationError, RedisFault("it refuses the user or the password, or wants one", _MISTAKE)),
    (BusyLoadingError, RedisFault("it is still loading its data", _AWAY)),
    (MasterNotFoundError, RedisFault("no Sentinel names a primary of that service", _AWAY)),
    (NoSlotsError, RedisFault("its cluster does not serve all slots at the moment", _AWAY)),
    (MovedError, RedisFault("it is a node of a Redis Cluster, whose form is redis+cluster://", _MISTAKE)),
    (ReadOnlyError, RedisFault("it is a replica, which takes no writes", _MISTAKE)),
    (socket.gaierror, RedisFault("its name leads nowhere (DNS)", _AWAY)),
    (ConnectionRefusedError, RedisFault("nothing listens at its port", _AWAY)),
    (FileNotFoundError, RedisFault("its socket, or a file that an option names, is not there", _AWAY)),
    (PermissionError, RedisFault("this user may not read its socket, or a file that an option names", _MISTAKE)),
    ((TimeoutError, RedisTimeoutError), RedisFault("it does not answer in time", _AWAY)),
)


#: What a server's refusal contains, which may also name keys, and what it means.
_REFUSALS: tuple[tuple[str, RedisFault], ...] = (
    ("maxmemory", RedisFault("it is full, and takes no writes", _NO_WRITES)),
    ("MISCONF", RedisFault("it takes no writes, since it can't save its data: is its disk full?", _NO_WRITES)),
    ("replica", RedisFault("no replica has the write", _NO_WRITES)),
    ("DB index", RedisFault("it has no database of that number", _MISTAKE)),
    ("cluster support disabled", RedisFault("it is no node of a Redis Cluster", _MISTAKE)),
    ("cluster|slots", RedisFault("its user may not run CLUSTER SLOTS", _MISTAKE)),
    ("permissions", RedisFault("its user may not read and write the keys portal:*", _MISTAKE)),
)


def _explain_refusal(message: str) -> RedisFault:
    code = message.partition(" ")[0]
    unknown = RedisFault(f"it refuses writes: {code if code.isupper() else 'an error of its own'}", _MISTAKE)
    return next((fault for part, fault in _REFUSALS if part in message), unknown)


def _chain(error: BaseException) -> Iterator[BaseException]:
    current: BaseException | None = error
    seen: set[int] = set()
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__

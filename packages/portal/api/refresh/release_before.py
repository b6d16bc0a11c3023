"""The records of the release before: families of tokens. One release reads them; delete this module in the next one.

That release kept a sign-in as a family with a secret: an entry led from each token to the secret, and the secret to the
newest pair, the last submission, its outcome, and a tombstone. Here they are read as records of the token.

The release before can't read the records of this one. While both run, a token that this release submits is locked for
the other one, whose requests with it are answered 503: without the lock they would submit it a second time.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from portal.api.refresh.sealing import family_secret, record_name, seal, sign_in_id, unseal
from portal.api.refresh.token_record import State, TokenRecord, open_text, parse_record, read_time
from portal.config.limits import REFRESH_FAILED_MEMORY_S
from portal.store import MISSING, SharedStore

_ABOUT_A_FAMILY: Final = ("family", "signed-out", "outcome", "started")
_FORMAT: Final = 1
#: Value of the lock that keeps the other release from a token, and how long it stays: as long as a roll-out, seconds.
_KEPT_OUT: Final = "a later release"
_KEPT_OUT_S: Final = 3600
#: Owner of what is read here.
_OWNER: Final = "the release before"


def keys_of(refresh: str) -> list[str]:
    """Return the keys that :func:`read` needs of a token."""
    return [_key(refresh, "token"), *_family_keys(family_secret(refresh))]


def read(store: SharedStore, refresh: str, found: Mapping[str, Any]) -> TokenRecord | None:
    """Return the record that the other release's entries make; None if there are none.

    :param found: the values at :func:`keys_of`.
    """
    secret = family_secret(refresh)
    to_family = found.get(_key(refresh, "token"), MISSING)
    if to_family is not MISSING:
        opened = open_text(to_family, under=refresh)
        if opened is None:
            return parse_record(None)
        secret, found = opened, store.get_many(_family_keys(opened))
    rotation, signed_out, outcome, started = (found.get(key) for key in _family_keys(secret))
    record = TokenRecord(sign_in=sign_in_id(secret), owner=_OWNER)
    if _key(secret, "signed-out") in found:
        return replace(record, state=State.OUT, at=read_time(signed_out))
    try:
        if _key(secret, "family") in found:
            record = _read_family(record, unseal(rotation, under=secret), refresh)
        if _key(secret, "started") in found and record.state is State.ISSUED:
            record = _read_started(record, started, refresh)
    except (ValueError, TypeError):
        return parse_record(None)
    match outcome:
        case ["failed", str() as name, float() | int() as at, *_] if (
            name == record_name(refresh) and record.state is State.ISSUED
        ):
            record = replace(record, state=State.FAILED, at=at, until=at + REFRESH_FAILED_MEMORY_S)
    return record if found else None


def is_later(record: TokenRecord, *, than: TokenRecord) -> bool:
    """Return whether the release before has submitted a token that this one has issued."""
    replaces = record.owner == _OWNER and record.state is not State.ISSUED and than.state is State.ISSUED
    return replaces and record.at >= than.at


def keep_out(store: SharedStore, refresh: str) -> bool:
    """Lock a token for the other release; False while that one submits it."""
    lock = _key(_secret_of(store, refresh), "lock")
    return store.add(lock, _KEPT_OUT, lifetime_s=_KEPT_OUT_S) or bool(store.get(lock) == _KEPT_OUT)


def let_in(store: SharedStore, refresh: str) -> None:
    """Let the other release have a token again."""
    store.delete(_key(_secret_of(store, refresh), "lock"))


def tombstones_of(store: SharedStore, tokens: Iterable[str]) -> set[str]:
    """Return the keys by which the other release knows that the sign-in of these tokens was signed out."""
    return {_key(_secret_of(store, token), "signed-out") for token in tokens}


def _secret_of(store: SharedStore, refresh: str) -> str:
    return open_text(store.get(_key(refresh, "token")), under=refresh) or family_secret(refresh)


def _read_family(record: TokenRecord, content: Any, refresh: str) -> TokenRecord:
    """:raises ValueError: it is no record of a family. So does `TypeError`."""
    access, latest, since, older, *more = content
    if more[:1] not in ([], [_FORMAT]) or not isinstance(latest, str) or not isinstance(access, str):
        raise ValueError("no rotation record")
    if refresh == latest:
        return replace(record, access=seal(access, under=refresh), since=float(since))
    ends = {name: until for name, until, *_ in older}
    until = ends.get(record_name(refresh), 0.0)
    following, until = seal(latest, under=refresh), until and float(until)
    return replace(record, state=State.NEXT, at=float(since), next=following, until=until)


def _read_started(record: TokenRecord, content: Any, refresh: str) -> TokenRecord:
    """:raises ValueError: it is no record of a submission."""
    match content:
        case [str() as name, float() | int() as first_at, float() | int() | None as last_at, int() as tries, _, *more]:
            if more[:1] not in ([], [_FORMAT]):
                raise ValueError("no record of a submission that this release can read")
            if name != record_name(refresh):
                return record
            began = {"at": float(first_at), "first_at": float(first_at), "tries": tries}
            if last_at is None:
                return replace(record, state=State.LATER, **began)
            return replace(record, state=State.STARTED, monotonic=float(last_at), **began)
        case _:
            raise ValueError("no record of a submission")


def _key(secret: str, kind: str) -> str:
    return f"{record_name(secret)}:{kind}"


def _family_keys(secret: str) -> list[str]:
    return [_key(secret, kind) for kind in _ABOUT_A_FAMILY]

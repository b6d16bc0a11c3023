"""The file of the embedded store: made privately, opened in WAL mode, replaced when it is damaged.

The path of the store is a symbolic link to the file in use. SQLite names its journal after the file, and a
process that still has a replaced file open removes that journal when it closes: with a new name for each
file it can never be the journal of the new one.
"""

from __future__ import annotations

import fcntl
import logging
import os
import secrets
import sqlite3
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from portal.config.state_dir import private_dir
from portal.errors import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

logger = logging.getLogger(__name__)

#: A rowid table with the key in an index of its own: rewriting a large value moves no key.
SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS entries (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value, expires REAL)",
    "CREATE INDEX IF NOT EXISTS entries_by_expiry ON entries (expires) WHERE expires IS NOT NULL",
)
#: Between two looks whether another process still makes the file, seconds.
LOCK_PAUSE_S: Final = 0.002
#: What SQLite says of a file that it can't read any more (result codes NOTADB and CORRUPT).
_DAMAGE: Final = frozenset({sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT})
_PRIMARY_CODE: Final = 0xFF
#: Size to which SQLite cuts a journal that it begins anew, bytes.
JOURNAL_KEPT_BYTES: Final = 4 * 1024 * 1024
#: How long it is tried to empty the journal, seconds, and the longest wait of one try, milliseconds: short ones, since
#: SQLite's own pauses grow, and then miss the gaps of a process that writes without a break.
EMPTYING_S: Final = 0.5
EMPTYING_TRY_MS: Final = 10
_NO_TABLE: Final = "no such table: entries"


def open_database(path: Path, *, busy_timeout_s: float) -> sqlite3.Connection:
    """Open the file that `path` stands for, making it and its folder where they are missing.

    The connection commits each statement by itself and may be passed from thread to thread. `busy_timeout_s` is
    for the opening alone: the connection itself does not wait for another process's write, it says so (`is_busy`).

    :raises StoreUnavailableError: another process makes the file, and has not finished after `busy_timeout_s`.
    """
    if not path.exists():
        with _only_one(path, wait_s=busy_timeout_s):
            if not path.exists():
                _start_new_file(path, busy_timeout_s=busy_timeout_s)
    connection = _connect(path, busy_timeout_s=busy_timeout_s)
    connection.execute("PRAGMA busy_timeout = 0")
    return connection


def journal_bytes(path: Path) -> int:
    """Size of the write-ahead journal of the file that `path` stands for; 0 where there is none."""
    try:
        return os.stat(f"{path.resolve()}-wal").st_size  # noqa: PTH116  half the time of Path.stat
    except FileNotFoundError:
        return 0


def empty_journal(connection: sqlite3.Connection) -> bool:
    """Write the journal into the file and cut it to nothing; False where readers did not end in time.

    Reads go on meanwhile. One that begins when all is written reads the file alone, so the last reader of the journal
    is gone within moments.
    """
    connection.execute(f"PRAGMA busy_timeout = {EMPTYING_TRY_MS}")
    end = time.monotonic() + EMPTYING_S
    try:
        while not _emptied(connection):
            if time.monotonic() >= end:
                return False
    finally:
        connection.execute("PRAGMA busy_timeout = 0")
    return True


def _emptied(connection: sqlite3.Connection) -> bool:
    try:
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.OperationalError as error:
        if not is_busy(error):
            raise
        return False
    return not busy


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another process is at the file just now, so that the same statement may succeed in a moment."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and (code & _PRIMARY_CODE) == sqlite3.SQLITE_BUSY


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether SQLite says that the file itself is broken, rather than busy, full or out of reach.

    A file that was cut to nothing is a sound, empty database to SQLite: it lacks the table that ours has.
    """
    code = getattr(error, "sqlite_errorcode", None)
    if code == sqlite3.SQLITE_ERROR and str(error) == _NO_TABLE:
        return True
    return code is not None and (code & _PRIMARY_CODE) in _DAMAGE


def replace_damaged(path: Path, error: sqlite3.DatabaseError, *, busy_timeout_s: float) -> bool:
    """Put an empty file in the place of a damaged one; True where it did, or another process did.

    Of several processes that meet the damage at once, one replaces the file; the others find that what stands
    there now is sound. The damaged file stays beside it, the one before that is removed.
    """
    if not is_damage(error):
        return False
    with _only_one(path, wait_s=busy_timeout_s):
        if _is_sound(path):
            return True
        damaged = path.resolve()
        for older in path.parent.glob(f"{path.stem}-*{path.suffix}*"):
            if not older.name.startswith(damaged.name):
                older.unlink(missing_ok=True)
        _start_new_file(path, busy_timeout_s=busy_timeout_s)
    logger.error(
        "store %s is damaged (%s): %s is left for a look, an empty one is in use", path.name, error, damaged.name
    )
    return True


def _start_new_file(path: Path, *, busy_timeout_s: float) -> None:
    name = f"{path.stem}-{secrets.token_hex(4)}"
    file = path.with_name(name + path.suffix)
    os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))  # SQLite's journals take its mode
    connection = _connect(file, busy_timeout_s=busy_timeout_s)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        for statement in SCHEMA:
            connection.execute(statement)
    finally:
        connection.close()
    link = path.with_name(f"{name}.link")
    link.symlink_to(file.name)
    link.replace(path)


def _connect(path: Path, *, busy_timeout_s: float) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=busy_timeout_s, isolation_level=None, check_same_thread=False)
    try:
        # NORMAL survives the death of any process; after a power cut the last moments may be missing.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA journal_size_limit = {JOURNAL_KEPT_BYTES}")
        # What is removed is overwritten: a file that is copied later holds nobody's data of before.
        connection.execute("PRAGMA secure_delete = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def _is_sound(path: Path) -> bool:
    if not path.exists():
        return False
    try:
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            connection.execute("SELECT COUNT(*) FROM entries")
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
        finally:
            connection.close()
    except sqlite3.DatabaseError as error:
        return not is_damage(error)


@contextmanager
def _only_one(path: Path, *, wait_s: float) -> Iterator[None]:
    """One process at a time makes or replaces the file; its end, of whatever kind, lets the next one in.

    :raises StoreUnavailableError: another one has been at it for `wait_s`: suspended, or on a disk that hangs.
    """
    private_dir(path.parent)
    descriptor = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    end = time.monotonic() + wait_s
    try:
        while not _lock_at_once(descriptor):
            if time.monotonic() >= end:
                raise StoreUnavailableError(f"another process has begun to make {path.name} and does not finish")
            time.sleep(LOCK_PAUSE_S)
        yield
    finally:
        os.close(descriptor)


def _lock_at_once(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

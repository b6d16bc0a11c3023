"""Makes, opens and replaces the database file.

The path of the cache is a symbolic link to the file in use, and each new file has a new name. SQLite names a journal
after its file, and a process that still has a replaced file open removes that file's journal when it closes the file.
With one name for all files, that process would remove the journal of the new file.
"""

import fcntl
import logging
import os
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from sqlite_cache.errors import CacheUnavailableError

logger = logging.getLogger(__name__)

#: A rowid table with an index on the key: rewriting a large value does not move the key.
SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS entries (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value, expires REAL)",
    "CREATE INDEX IF NOT EXISTS entries_by_expiry ON entries (expires) WHERE expires IS NOT NULL",
)
#: The file's format, in SQLite's `user_version`; 0 in files of before there was a number. A new column with a default
#: is no new format, because every statement names its columns.
FILE_FORMAT: Final = 1
READABLE_FORMATS: Final = frozenset({0, FILE_FORMAT})
#: Pause between two tries to get the lock file, seconds.
LOCK_PAUSE_S: Final = 0.002
#: SQLite cuts the journal to this size when it starts the journal again, bytes.
JOURNAL_KEPT_BYTES: Final = 4 * 1024 * 1024
#: Pages of the file that each connection keeps in memory, KiB. SQLite's own limit is 2,000, and a process has up to
#: sixteen connections to a file. The kernel keeps the file's pages as well: reading one from there takes 1 µs.
PAGES_KEPT_KIB: Final = 256
#: Longest wait of one try to empty the journal, milliseconds. The tries are short, because SQLite's own pauses grow and
#: then miss the gaps of a process that writes without a break.
EMPTYING_TRY_MS: Final = 10
#: SQLite's result codes for a file that it can't read as a database.
_DAMAGE: Final = frozenset({sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT})
_PRIMARY_CODE: Final = 0xFF
_NO_TABLE: Final = "no such table: entries"


def open_database(path: Path, *, busy_timeout_s: float) -> sqlite3.Connection:
    """Open the file that `path` links to. Make the file and its folder where they are missing.

    The connection commits each statement by itself and may be passed between threads. It does not wait for another
    process's write: a statement fails at once, and :func:`is_busy` knows the error.

    :param busy_timeout_s: longest wait for another process that makes the file.
    :raises CacheUnavailableError: that process takes longer, the folder is not private, or the file has a format that
        this code does not know. Such a file is left as it is: other processes use it.
    """
    if not path.exists():
        with _lock_file(path, wait_s=busy_timeout_s):
            if not path.exists():
                _make_file(path, busy_timeout_s=busy_timeout_s)
    connection = _connect(path, busy_timeout_s=busy_timeout_s)
    try:
        _check_format(connection, path)
        connection.execute("PRAGMA busy_timeout = 0")
    except BaseException:
        connection.close()
        raise
    return connection


def journal_bytes(path: Path) -> int:
    """Size of the write-ahead journal of the file that `path` links to; 0 where there is none."""
    try:
        return os.stat(f"{path.resolve()}-wal").st_size  # noqa: PTH116  half the time of Path.stat
    except FileNotFoundError:
        return 0


def empty_journal(connection: sqlite3.Connection, *, limit_s: float) -> bool:
    """Write the journal into the file and cut it to nothing; False if readers did not end within `limit_s`.

    Reads go on meanwhile. A read that begins after the journal is written uses the file alone, so the last reader of
    the journal usually ends within milliseconds.
    """
    connection.execute(f"PRAGMA busy_timeout = {EMPTYING_TRY_MS}")
    end = time.monotonic() + limit_s
    try:
        while True:
            try:
                busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.OperationalError as error:
                if not is_busy(error):
                    raise
                busy = True
            if not busy or time.monotonic() >= end:
                return not busy
    finally:
        connection.execute("PRAGMA busy_timeout = 0")


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another process uses the file at this moment, so that the same statement may succeed soon."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and (code & _PRIMARY_CODE) == sqlite3.SQLITE_BUSY


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether SQLite reports a broken file, rather than one that is busy, full or out of reach.

    For SQLite a file of zero bytes is a sound, empty database: only the missing table shows the damage.
    """
    code = getattr(error, "sqlite_errorcode", None)
    if code == sqlite3.SQLITE_ERROR and str(error) == _NO_TABLE:
        return True
    return code is not None and (code & _PRIMARY_CODE) in _DAMAGE


def replace_damaged(path: Path, error: sqlite3.DatabaseError, *, busy_timeout_s: float) -> bool:
    """Replace a damaged file by an empty one; True if this process or another one did so.

    Several processes may meet the damage at once: one replaces the file, the others find a sound file. The damaged
    file stays in the folder; an older damaged one is removed.
    """
    if not is_damage(error):
        return False
    with _lock_file(path, wait_s=busy_timeout_s):
        if _is_sound(path):
            return True
        damaged = path.resolve()
        for older in path.parent.glob(f"{path.stem}-*{path.suffix}*"):
            if not older.name.startswith(damaged.name):
                older.unlink(missing_ok=True)
        _make_file(path, busy_timeout_s=busy_timeout_s)
    logger.error(
        "store %s is damaged (%s): %s is left for a look, an empty one is in use", path.name, error, damaged.name
    )
    return True


def _make_file(path: Path, *, busy_timeout_s: float) -> None:
    name = f"{path.stem}-{secrets.token_hex(4)}"
    file = path.with_name(name + path.suffix)
    os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))  # SQLite's journals take its mode
    with closing(_connect(file, busy_timeout_s=busy_timeout_s)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        for statement in SCHEMA:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {FILE_FORMAT}")
    link = path.with_name(f"{name}.link")
    link.symlink_to(file.name)
    link.replace(path)


def _connect(path: Path, *, busy_timeout_s: float) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=busy_timeout_s, isolation_level=None, check_same_thread=False)
    try:
        # NORMAL survives the death of any process; a power cut may lose the last moments.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA journal_size_limit = {JOURNAL_KEPT_BYTES}")
        connection.execute(f"PRAGMA cache_size = -{PAGES_KEPT_KIB}")
        # SQLite overwrites what is removed: a later copy of the file holds no removed data.
        connection.execute("PRAGMA secure_delete = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def _check_format(connection: sqlite3.Connection, path: Path) -> None:
    (number,) = connection.execute("PRAGMA user_version").fetchone()
    if number not in READABLE_FORMATS:
        raise CacheUnavailableError(
            f"{path.name} has format {number}, and this release knows {FILE_FORMAT}: another release made it"
        )


def _is_sound(path: Path) -> bool:
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("SELECT COUNT(*) FROM entries")
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
    except sqlite3.DatabaseError as error:
        return not is_damage(error)


@contextmanager
def _lock_file(path: Path, *, wait_s: float) -> Iterator[None]:
    """Let one process at a time make or replace the file. The lock ends with its process, however that ends.

    :raises CacheUnavailableError: another process has held the lock for `wait_s`: it is suspended, or its disk hangs.
    """
    _make_private_folder(path.parent)
    descriptor = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    end = time.monotonic() + wait_s
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= end:
                    name = path.name
                    raise CacheUnavailableError(
                        f"another process has begun to make {name} and does not finish"
                    ) from None
            time.sleep(LOCK_PAUSE_S)
        yield
    finally:
        os.close(descriptor)


def _make_private_folder(folder: Path) -> None:
    """Make `folder` with mode 0700. A folder of this user that others may enter is made private.

    Root could make another user's folder private, but that user could open it again: such a folder is an error.

    :raises CacheUnavailableError: the folder belongs to another user, or can't be made or made private.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
        if status.st_uid != os.geteuid():
            raise CacheUnavailableError(f"{folder} belongs to user {status.st_uid}, not to the user of this process")
        if status.st_mode & 0o077:
            folder.chmod(0o700)
    except OSError as error:
        raise CacheUnavailableError(f"{folder} can't be made a private folder: {error}") from error

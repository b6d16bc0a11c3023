"""The errors of this cache.

SQLiteCacheError            every error below
├── CacheBusyError          other processes wrote for longer than `BUSY_TIMEOUT_S`; the same call may succeed later
├── CacheFullError          the size limit is reached, and `WHEN_FULL` is "refuse"
└── CacheUnavailableError   the folder or the file can't be made, or is replaced faster than it can be opened

Other failures of the file (a full disk, a read-only file system) are `sqlite3.Error`, as SQLite raises them.
"""


class SQLiteCacheError(Exception):
    """The base class of all errors of this cache."""


class CacheBusyError(SQLiteCacheError):
    """Other processes wrote to the file for longer than `BUSY_TIMEOUT_S`."""


class CacheFullError(SQLiteCacheError):
    """The cache has reached its size limit and may not evict entries."""


class CacheUnavailableError(SQLiteCacheError):
    """The file can't be made or opened."""

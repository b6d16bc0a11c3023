"""A Django cache on one SQLite file that all processes of a machine share. `README.md` says why and when.

SQLiteCache         backend.py      Django's cache interface: keys, values, lifetimes
├ SizeLimit       eviction.py     removes or refuses entries when the file is full
│   └┐
├ Database        database.py     statements: waits for other writers, recovers from damage
│   └ ConnectionPool  pool.py     connections of the process, none of them carried over a fork
│   └ file.py                     makes, opens and replaces the file
└ JSONSerializer  serializer.py   values as JSON

errors.py draws the errors. `fork_safety` is the only other package that this one needs beside Django.
"""

from sqlite_cache.backend import SQLiteCache
from sqlite_cache.errors import CacheBusyError, CacheFullError, CacheUnavailableError, SQLiteCacheError
from sqlite_cache.pool import close_idle_connections
from sqlite_cache.serializer import UNREADABLE, JSONSerializer, Unreadable

__all__ = [
    "UNREADABLE",
    "CacheBusyError",
    "CacheFullError",
    "CacheUnavailableError",
    "JSONSerializer",
    "SQLiteCache",
    "SQLiteCacheError",
    "Unreadable",
    "close_idle_connections",
]

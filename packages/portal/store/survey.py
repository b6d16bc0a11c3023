"""Reports of the servers of a store: for operators, and as metrics."""

from functools import partial

from portal.errors import StoreUnavailableError
from portal.store.inspection import StoreServer, inspect
from portal.store.shared_store import SharedStore, query_store, refresh_store
from portal.store.size import STORE_LABEL
from portal.telemetry.metrics import Readings
from sqlite_cache import SQLiteCache


def inspect_store(store: SharedStore) -> list[StoreServer]:
    """What each server of the store tells of itself; of a cluster, each primary.

    :raises StoreUnavailableError: it does not; the message says why, without an address.
    """
    try:
        if isinstance(store.backend(), SQLiteCache):
            store.get("start")  # a first read opens the file
        return inspect(store.backend())
    except StoreUnavailableError:
        raise
    except Exception as error:
        from portal.store.redis_faults import explain_fault  # noqa: PLC0415  imports redis

        raise StoreUnavailableError(explain_fault(error).cause) from error


def _told(name: str) -> list[tuple[list[str], float]]:
    """What each store told of this a moment ago; nothing of one that does not answer or does not tell."""
    sizes = [(store.alias, store.size()) for store in (query_store(), refresh_store())]
    return [([alias], value) for alias, size in sizes if (value := getattr(size, name, None)) is not None]


for _name, _says, _of_a_store in (
    ("portal_store_used_bytes", "Bytes in use in the shared store.", "used"),
    ("portal_store_limit_bytes", "Bytes that the shared store may use, if it has a limit.", "limit"),
    ("portal_store_clock_ahead_seconds", "How far Redis's clock is ahead of this machine's.", "clock_ahead_s"),
):
    Readings(_name, _says, labels=[STORE_LABEL], read=partial(_told, _of_a_store))

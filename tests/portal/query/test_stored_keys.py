"""Each kind of key that the query layer writes is read back as what it is."""

from __future__ import annotations

import pytest

from portal.query import KeyUse, endpoints_by_digest, principal_of_id, read_key
from portal.query.cache.page_keys import StoredKey, lease_key, page_keys
from portal.query.cache.write_log import WriteLog
from portal.query.endpoints import query_key
from portal.query.partition import Partition
from portal.query.partition.generations import generation_key, namespace_generation_key
from portal.query.partition.token_bindings import binding_key

NAMESPACE = f"{2**127:032x}"
PARTITION = Partition(
    principal=principal_of_id("usr_1"), namespace=NAMESPACE, view="0a1b", binding=binding_key("a token")
)
LEASE = lease_key(PARTITION, query_key(endpoint="energy.get_clients"), start=None, index=0)
LOG = WriteLog(store=None, namespace=NAMESPACE, endpoint="energy.get_clients", random_below=lambda _: 0)  # type: ignore[arg-type]  # no store is asked
ENDPOINTS = endpoints_by_digest(["energy.get_clients", "energy.get_summary"])


def page(start: str | None = None, *, paginated: bool = True, **params: object) -> str:
    key = query_key(endpoint="energy.get_clients", params=params, paginated=paginated)
    return page_keys(PARTITION, key, start=start, indexes=range(3, 4))[0].key


@pytest.mark.parametrize(
    ("key", "read"),
    [
        (page(), StoredKey(KeyUse.PAGE, NAMESPACE, "energy.get_clients")),
        (page(paginated=False), StoredKey(KeyUse.PAGE, NAMESPACE, "energy.get_clients")),
        (page(q="x"), StoredKey(KeyUse.VARIANT, NAMESPACE)),
        (page(start="cursor"), StoredKey(KeyUse.VARIANT, NAMESPACE)),
        (f"{NAMESPACE}:energy.get_clients:17", StoredKey(KeyUse.WRITE_LOG, NAMESPACE, "energy.get_clients")),
        (PARTITION.binding, StoredKey(KeyUse.BINDING)),
        (PARTITION.keys[1], StoredKey(KeyUse.NAMESPACE)),
        (namespace_generation_key(NAMESPACE), StoredKey(KeyUse.OTHER, NAMESPACE)),
        (generation_key("energy.get_clients"), StoredKey(KeyUse.OTHER)),
        ("sent:abc:3", StoredKey(KeyUse.OTHER)),
        (LEASE, StoredKey(KeyUse.OTHER, NAMESPACE)),
        (LOG.key, StoredKey(KeyUse.WRITE_LOG, NAMESPACE, "energy.get_clients")),
    ],
)
def test_what_a_key_is_for(key: str, read: StoredKey) -> None:
    assert read_key(key, endpoints=ENDPOINTS) == read


def test_an_endpoint_that_nobody_declares_any_more_has_no_name() -> None:
    assert read_key(page(), endpoints={}) == StoredKey(KeyUse.PAGE, NAMESPACE)

"""The cache that processes share: two stores, and the checks that a store can carry the token refresh.

    checks          system checks: `add` is atomic across processes, and the refresh store never evicts
      └ shared_store    SharedStore, query_store(), refresh_store(): typed values, one error, a circuit
          ├ size            how full a store is, with a warning in the log before it is full; how long operations
          │                 take, and why they fail
          └ inspection      what the servers of a store tell of themselves
      ├ redis_faults    why a Redis can't be used, in words
    survey          what a store is, for operators and as metrics
    updates         changes of a value that depend on the value of before
    readiness       whether both stores take writes, for `/readyz`
    unknown_values  the line in the log about a value that this release can't read
    cluster         the caches of a Redis Cluster's primaries; the settings name it, nothing imports it
      └ sentinel        Django's Redis cache on the primary that Sentinels name; the settings name it too

Only `cluster`, `sentinel` and `redis_faults` import redis at once, and only who needs them imports them: a project on
the embedded store never does, and needs 6 MiB less.

The other backend is `sqlite_cache`, a package of its own. The addresses are read in `portal.config.environment`.
"""

from portal.store.checks import STORE_IS_AWAY, check_embedded_store, check_query_store, check_refresh_store
from portal.store.inspection import StoreServer
from portal.store.readiness import check_readiness
from portal.store.shared_store import SharedStore, import_backends, query_store, refresh_store
from portal.store.survey import inspect_store
from portal.store.unknown_values import note_unknown
from portal.store.updates import MISSING, Missing

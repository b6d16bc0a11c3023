"""What lies in the query cache: entries and bytes, by use, by endpoint, and by user."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass, field
from typing import Any

from portal.query import REGISTRY, KeyUse, endpoints_by_digest, read_key
from portal.store import query_store, survey_keys


@dataclass(slots=True)
class Amount:
    """Entries and the bytes of their values."""

    entries: int = 0
    bytes: int = 0

    def add(self, size: int) -> None:
        """One more entry."""
        self.entries += 1
        self.bytes += size


@dataclass(slots=True, kw_only=True)
class CacheReport:
    """See the module.

    :ivar complete: whether all keys were seen.
    :ivar by_endpoint: pages of queries without parameters; the others' names do not tell.
    :ivar by_namespace: pages of one user, whose namespace has a random name.
    """

    complete: bool
    total: Amount = field(default_factory=Amount)
    by_use: defaultdict[KeyUse, Amount] = field(default_factory=lambda: defaultdict(Amount))
    by_endpoint: defaultdict[str, Amount] = field(default_factory=lambda: defaultdict(Amount))
    by_namespace: defaultdict[str, Amount] = field(default_factory=lambda: defaultdict(Amount))

    def as_data(self, *, users: int) -> dict[str, Any]:
        """As JSON.

        :param users: how many users, the largest first.
        """
        largest = sorted(self.by_namespace.items(), key=lambda item: -item[1].bytes)[:users]
        return {
            "complete": self.complete,
            **asdict(self.total),
            "by_use": {use.value: asdict(amount) for use, amount in self.by_use.items()},
            "by_endpoint": {name: asdict(self.by_endpoint[name]) for name in sorted(self.by_endpoint)},
            "users": len(self.by_namespace),
            "largest_users": [{"namespace": name, **asdict(amount)} for name, amount in largest],
        }


def report_cache(*, limit: int) -> CacheReport:
    """Look through the keys of the query store. The services have to be imported.

    :param limit: the number of keys after which it stops.
    :raises StoreUnavailableError: the store does not answer.
    """
    found, digests = survey_keys(query_store(), limit=limit), endpoints_by_digest(REGISTRY.queries)
    report = CacheReport(complete=found.complete)
    for key, size in found.sizes.items():
        stored = read_key(key, endpoints=digests)
        report.total.add(size)
        report.by_use[stored.use].add(size)
        if stored.endpoint is not None and stored.use is KeyUse.PAGE:
            report.by_endpoint[stored.endpoint].add(size)
        if stored.namespace is not None and stored.use in {KeyUse.PAGE, KeyUse.VARIANT}:
            report.by_namespace[stored.namespace].add(size)
    return report

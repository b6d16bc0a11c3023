"""What has one version is one user's, and the same: who has rendered it need not do so again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from portal.errors import ApiMalformedError
from portal.query import versions_of
from portal.services.energy.summary import EnergySummaryQueries
from tests.portal.query.clients import clients, delete, me, one
from tests.portal.query.fakes import unavailable
from tests.portal.query.world import User


def test_repeated_read_has_one_version_in_all_processes(ada: User) -> None:
    reads: list[Callable[[User], Any]] = [clients, one, me, lambda who: clients(who, pages=3)]
    for read in reads:
        assert None is not read(ada).version == read(ada).version == read(ada.elsewhere()).version


def test_patched_rows_or_total_have_no_version(ada: User) -> None:
    first, last = clients(ada), clients(ada, pages=3)
    ada.passes(22)
    delete(ada, "c1")
    shorter = clients(ada)
    assert (first.data.total, shorter.data.total, shorter.data.items) == (5, 4, first.data.items)
    assert None not in {first.version, last.version}
    assert (shorter.version, clients(ada, pages=3).version) == (None, None)
    request = ada.request()
    assert clients(request).fetch_next_page().version is None


def test_failure_and_missing_store_have_no_version(ada: User) -> None:
    clients(ada)
    ada.backend.failures = [unavailable()] * 9
    assert clients(ada.request(reload=True)).version is None
    assert clients(ada, {"q": "client"}).version is None
    ada.backend.failures = []
    ada.store.down = True
    assert clients(ada).version is None


def test_undeclared_answer_has_no_version(ada: User) -> None:
    ada.backend.open_paths["/energy/summary"] = ["no record"]
    result = EnergySummaryQueries.use_get_summary_query(ada.request())
    assert (result.data, result.version, isinstance(result.error, ApiMalformedError)) == (None, None, True)


def test_several_reads_have_one_version_together(ada: User) -> None:
    both = versions_of(clients(ada), one(ada))
    assert None is not both == versions_of(clients(ada), one(ada)) != versions_of(one(ada), clients(ada))
    without = versions_of(clients(ada), one(ada, "gone"))
    assert None is not without == versions_of(clients(ada), one(ada, "gone")) != both
    ada.backend.failures = [unavailable()] * 9
    assert versions_of(clients(ada), one(ada, "c4")) is None

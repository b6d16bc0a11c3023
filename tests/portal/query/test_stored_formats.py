"""What another release, or damage, left in the store: a fetch, never an error, and never what a write has changed.

Two releases that run at the same time share the store: docs/reference/stored-formats.md.
"""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from portal.query import QueryGroup, Record, query_endpoint
from portal.query.cache import page_cache, pages, write_records
from portal.query.cache.write_records import WriteRecord
from portal.query.endpoints.registry import Registry
from tests.portal.query.clients import create, delete, listed, names, one, rename
from tests.portal.query.world import User, World
from tests.support.client_endpoints import EnergySummaryQueries
from tests.support.whole_runs import number_of

#: JSON of any type, and what is no JSON.
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
TEXTS = JSON.map(json.dumps) | st.text(max_size=12) | st.sampled_from(["", "{", "[1,", "NaN", "[" * 5000])
SETTINGS = settings(max_examples=number_of(60), deadline=None, suppress_health_check=list(HealthCheck))

summary = EnergySummaryQueries.use_get_summary_query


class Counts(Record):
    clients: str = ""
    stations: int = 0


class Summary(Record):
    counts: Counts | None = None
    total: int = -1


def used_store() -> tuple[User, dict[str, str]]:
    """A user whose store has a value of each kind, and those values."""
    world = World()
    world.backend.rows = [{"id": f"c{number}", "name": f"client {number}"} for number in range(5, 0, -1)]
    ada = User(world.process(), world.backend.sign_in("ada"))
    listed(ada, pages=2)
    listed(ada, {"q": "client"})
    one(ada, "c4")
    summary(ada.request())
    delete(ada, "c5")
    rename(ada, "c4", "renamed")
    return ada, dict(world.store.values)


def check_everything(ada: User) -> None:
    """All reads and writes of a new process, which shows what the backend has."""
    user = ada.elsewhere()
    check_list(user)
    assert listed(user, {"q": "client 3"}) == ["c3"]
    assert one(user, "c4").unwrap()["name"] == "renamed"
    assert summary(user.request()).unwrap() == {"counts": {"clients": 4}}
    made = create(user)
    assert made in names(user)
    delete(user, made)
    check_list(user)


def check_list(user: User) -> None:
    """Two pages show what the backend has, as far as they go: a row that was removed leaves a page shorter."""
    shown = names(user, pages=2)
    rows = {row["id"]: row["name"] for row in user.backend.rows}
    assert len(shown) >= 3
    assert list(shown.items()) == list(rows.items())[: len(shown)]


class TestAnythingUnderAnyKeyIsAMiss:
    @SETTINGS
    @given(text=TEXTS, number=st.integers(0, 10**6))
    def test_other_values_under_one_key_or_all(self, text: str, number: int) -> None:
        ada, values = used_store()
        key = sorted(values)[number % len(values)]
        for damaged in ({**values, key: text}, dict.fromkeys(values, text)):
            ada.store.values = damaged
            check_everything(ada)

    @SETTINGS
    @given(value=JSON, number=st.integers(0, 10**6), place=st.integers(0, 8), grows=st.booleans())
    def test_records_and_pages_with_another_member(self, value: Any, number: int, place: int, grows: bool) -> None:
        ada, values = used_store()
        lists = {key: json.loads(text) for key, text in values.items() if text.startswith("[")}
        key = sorted(lists)[number % len(lists)]
        members = lists[key]
        place %= len(members)
        is_any_json = place == 4 and "items" not in values[key]  # the body of a one-shot query
        if grows:
            members.insert(place, value)
        elif type(members[place]) is type(value) or is_any_json:
            return
        else:
            members[place] = value
        ada.store.values[key] = json.dumps(members)
        check_everything(ada)

    def test_replaced_value_is_used_again(self) -> None:
        """No value stays in the way: the second read after it needs no call."""
        for key in used_store()[1]:
            ada, _ = used_store()
            assert key in ada.store.values
            ada.store.values[key] = "{"
            ada.passes(pages.READ_LAG_S)
            user = ada.elsewhere()
            for _ in range(2):
                names(user, pages=2)
            calls = len(ada.backend.calls)
            check_list(user)
            assert len(ada.backend.calls) == calls, key


def test_pages_of_another_format_are_never_read(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """The format is a part of the key: each release fetches once, and a write shows in the pages of both."""
    other = ada.elsewhere()

    def later(work: Any) -> Any:
        with monkeypatch.context() as patched:
            patched.setattr(page_cache, "PAGE_FORMAT", pages.PAGE_FORMAT + 1)
            patched.setattr(pages, "_STORED_MEMBERS", 2)
            patched.setattr(pages.Page, "stored", lambda page: {"at": page.at, "body": page.body})
            return work()

    def read(user: User) -> None:
        for _ in range(5):
            assert listed(user) == listed(user, {"q": "client"}) == ["c5", "c4"]

    for reads in (2, 0):
        with ada.reads(reads):
            read(ada)
        later(lambda: [listed(other), listed(other, {"q": "client"})])
    later(lambda: delete(other, "c5"))
    with ada.reads(0):  # by the record of the write
        assert listed(ada) == ["c4"]


class TestRecordsOfAnotherFormat:
    @pytest.mark.parametrize(
        "stored",
        [
            lambda _record: ["later", {"anything": 1}],
            *(lambda record, step=step: [write_records.WRITE_RECORD_FORMAT + step, *record[1:]] for step in (-1, 1)),
            lambda record: record[1:],
            lambda record: [*record, "more"],
            lambda record: [*record[:2], [["swap", "c4", {"id": "c4"}]], *record[3:]],
            lambda record: [*record[:2], [["merge", "c4", None]], *record[3:]],
            lambda _record: None,
        ],
    )
    def test_invalidate_all_of_their_endpoint(self, ada: User, monkeypatch: pytest.MonkeyPatch, stored: Any) -> None:
        listed(ada, pages=2)
        as_now = WriteRecord.stored
        with monkeypatch.context() as patched:
            patched.setattr(WriteRecord, "stored", lambda record: stored(as_now(record)))
            rename(ada.elsewhere(), "c4", "by another release")
            delete(ada.elsewhere(), "c5")
        shown = names(ada, pages=2)
        assert (shown["c4"], "c5" in shown) == ("by another release", False)
        with ada.reads(0):  # one fetch, and no more
            names(ada, pages=2)


def test_members_that_a_later_release_appends_are_ignored(ada: User) -> None:
    """Both releases have one cache for a token: a purge, or a write, by one concerns the pages of the other."""
    listed(ada)
    for key, text in ada.store.values.items():
        if key.startswith("ns:"):
            ada.store.values[key] = json.dumps([*json.loads(text), {"a later": "release"}])
    stored, calls = dict(ada.store.values), len(ada.backend.calls)
    assert listed(ada.elsewhere()) == ["c5", "c4"]
    assert (ada.store.values, len(ada.backend.calls)) == (stored, calls)


class TestRowsOfAnotherRelease:
    """What is cached is the backend's JSON, which each release reads into its own declaration."""

    def read(self, ada: User, data: Any) -> Any:
        """What another release, which has declared this type, shows of the summary."""
        registry = Registry()

        class OtherQueries(QueryGroup, domain="energy", registry=registry):
            use_get_summary_query = query_endpoint(data=data, url="/energy/summary")

        return OtherQueries.use_get_summary_query(ada.request(registry=registry)).unwrap()

    def test_fields_of_other_types_have_their_defaults(self, ada: User) -> None:
        summary(ada.request())
        with ada.reads(0):
            assert self.read(ada, Summary) == Summary(counts=Counts(clients="5"))

    def test_response_of_another_shape_is_fetched_once(self, ada: User) -> None:
        summary(ada.request())
        ada.backend.open_paths["/energy/summary"] = [{"total": 7}]
        for reads in (1, 0):
            with ada.reads(reads):
                assert self.read(ada, list[Summary]) == [Summary(total=7)]

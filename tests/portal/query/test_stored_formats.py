"""What another release, or damage, left in the store: a fetch, never an error, and never what a write has changed.

Two releases that run at the same time share the store: docs/reference/stored-formats.md.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from portal.query import QueryGroup, Record, query_endpoint
from portal.query.cache import page_keys, pages, write_records
from portal.query.cache.write_records import WriteRecord, parse_record
from portal.query.endpoints.registry import Registry
from tests.portal.query.clients import create, delete, listed, names, rename
from tests.portal.query.fakes import Process, World
from tests.support.client_endpoints import PATH, ClientQueries, EnergySummaryQueries

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore

#: JSON of any type, and what is no JSON.
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
TEXTS = JSON.map(json.dumps) | st.text(max_size=12) | st.sampled_from(["", "{", "[1,", "NaN", "[" * 5000])


class Counts(Record):
    clients: str = ""
    stations: int = 0


class Summary(Record):
    counts: Counts | None = None
    total: int = -1


def used_store() -> tuple[World, TokenStore, dict[str, str]]:
    """A world whose store has a value of each kind, and those values."""
    world = World()
    world.backend.rows = [{"id": f"c{number}", "name": f"client {number}"} for number in range(5, 0, -1)]
    tokens, process = world.backend.sign_in("ada"), world.process()
    listed(process.request(tokens), pages=2)
    listed(process.request(tokens), params={"q": "client"})
    ClientQueries.use_get_client_query(process.request(tokens), {"id": "c4"})
    EnergySummaryQueries.use_get_summary_query(process.request(tokens))
    delete(process.request(tokens), "c5")
    rename(process.request(tokens), "c4", "renamed")
    return world, tokens, dict(world.store.values)


def check_everything(world: World, tokens: TokenStore) -> None:
    """All reads and writes of a new process, which shows what the backend has."""
    process = world.process()
    check_list(world, process, tokens)
    assert listed(process.request(tokens), params={"q": "client 3"}) == ["c3"]
    detail = ClientQueries.use_get_client_query(process.request(tokens), {"id": "c4"})
    assert detail.unwrap()["name"] == "renamed"
    assert EnergySummaryQueries.use_get_summary_query(process.request(tokens)).unwrap() == {"counts": {"clients": 4}}
    made = create(process.request(tokens))
    assert made in names(process.request(tokens))
    delete(process.request(tokens), made)
    check_list(world, process, tokens)


def check_list(world: World, process: Process, tokens: TokenStore) -> None:
    """Two pages show what the backend has, as far as they go: a row that was removed leaves a page shorter."""
    shown = names(process.request(tokens), pages=2)
    rows = {row["id"]: row["name"] for row in world.backend.rows}
    assert len(shown) >= 3
    assert list(shown.items()) == list(rows.items())[: len(shown)]


class TestAnythingUnderAnyKeyIsAMiss:
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(text=TEXTS, number=st.integers(0, 10**6))
    def test_a_value_of_another_kind(self, text: str, number: int) -> None:
        world, tokens, values = used_store()
        key = sorted(values)[number % len(values)]
        world.store.values[key] = text
        check_everything(world, tokens)

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(text=TEXTS)
    def test_all_values_at_once(self, text: str) -> None:
        world, tokens, values = used_store()
        world.store.values = dict.fromkeys(values, text)
        check_everything(world, tokens)

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(cut=st.integers(1, 400), number=st.integers(0, 10**6))
    def test_a_value_that_ends_too_early(self, cut: int, number: int) -> None:
        world, tokens, values = used_store()
        # A number that lost digits is a number: no write and no damage of a store leaves one.
        whole = sorted(key for key, value in values.items() if not value.isdigit())
        key = whole[number % len(whole)]
        world.store.values[key] = values[key][: min(cut, len(values[key]) - 1)]
        check_everything(world, tokens)

    @settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
    @given(value=JSON, number=st.integers(0, 10**6), place=st.integers(0, 8), grows=st.booleans())
    def test_a_record_or_a_page_with_another_member(self, value: Any, number: int, place: int, grows: bool) -> None:
        world, tokens, values = used_store()
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
        world.store.values[key] = json.dumps(members)
        check_everything(world, tokens)

    def test_and_what_takes_its_place_is_used_again(self) -> None:
        """No value stays in the way: the second read after it needs no call."""
        for key in used_store()[2]:
            world, tokens, _ = used_store()
            world.store.values[key] = "{"
            process = world.process()
            for _ in range(2):
                names(process.request(tokens), pages=2)
            calls = len(world.backend.calls)
            check_list(world, process, tokens)
            assert len(world.backend.calls) == calls, key


class TestPagesOfAnotherFormat:
    """The format is a part of the key."""

    @pytest.fixture
    def later(self, monkeypatch: pytest.MonkeyPatch) -> Any:
        """Runs what it is given as a release with another format of pages."""

        def run(work: Any) -> Any:
            with monkeypatch.context() as patched:
                patched.setattr(page_keys, "_FORMAT", f":{pages.PAGE_FORMAT + 1}:")
                patched.setattr(pages.Page, "stored", lambda page: {"at": page.at, "body": page.body})
                return work()

        return run

    def test_are_never_read_and_each_release_fetches_once(
        self, world: World, process: Process, ada: Any, later: Any
    ) -> None:
        other = world.process()
        for _ in range(5):
            assert listed(ada.request()) == ["c5", "c4"]
            assert listed(ada.request(), params={"q": "client"}) == ["c5", "c4"]
        reads = world.backend.reads()
        assert reads == 2
        later(lambda: listed(other.request(ada.tokens)))
        later(lambda: listed(other.request(ada.tokens), params={"q": "client"}))
        assert world.backend.reads() == reads + 2
        for _ in range(5):
            listed(ada.request())
            listed(ada.request(), params={"q": "client"})
        assert world.backend.reads() == reads + 2, "what the later release stored took nothing from the earlier one"

    def test_and_a_write_by_one_release_shows_in_the_pages_of_the_other(
        self, world: World, process: Process, ada: Any, later: Any
    ) -> None:
        listed(ada.request())
        later(lambda: delete(ada.elsewhere().request(), "c5"))
        reads = world.backend.reads()
        assert listed(ada.request()) == ["c4"]
        assert world.backend.reads() == reads, "by the record of the write, without a fetch"


class TestRecordsOfAnotherFormat:
    @pytest.mark.parametrize(
        "stored",
        [
            lambda _record: ["later", {"anything": 1}],
            lambda record: [write_records.WRITE_RECORD_FORMAT + 1, *record[1:]],
            lambda record: [*record, "more"],
            lambda record: [*record[:2], [["swap", "c4", {"id": "c4"}]], *record[3:]],
            lambda record: [*record[:2], [["merge", "c4", None]], *record[3:]],
            lambda _record: None,
        ],
    )
    def test_invalidate_all_of_their_endpoint(
        self, world: World, process: Process, ada: Any, monkeypatch: pytest.MonkeyPatch, stored: Any
    ) -> None:
        listed(ada.request(), pages=2)
        as_now = WriteRecord.stored
        with monkeypatch.context() as patched:
            patched.setattr(WriteRecord, "stored", lambda record: stored(as_now(record)))
            rename(ada.elsewhere().request(), "c4", "by another release")
            delete(ada.elsewhere().request(), "c5")
        assert names(ada.request(), pages=2)["c4"] == "by another release"
        assert "c5" not in names(ada.request(), pages=2)
        reads = world.backend.reads()
        names(ada.request(), pages=2)
        assert world.backend.reads() == reads, "one fetch, and no more"

    def test_but_those_of_the_format_before_are_read(
        self, world: World, process: Process, ada: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        listed(ada.request())
        as_now = WriteRecord.stored
        with monkeypatch.context() as patched:
            patched.setattr(WriteRecord, "stored", lambda record: as_now(record)[1:])
            delete(ada.elsewhere().request(), "c5")
        reads = world.backend.reads()
        assert listed(ada.request()) == ["c4"]
        assert world.backend.reads() == reads

    @given(value=JSON)
    def test_nothing_that_json_can_say_makes_a_reader_raise(self, value: Any) -> None:
        assert parse_record(value) is None
        assert pages.parse_page(value) is None or isinstance(value, list)


class TestMembersThatALaterReleaseAppends:
    """Namespaces and bindings are shared: a purge, or a write, by one release concerns the pages of the other."""

    def test_are_ignored_and_keep_what_is_cached(self, world: World, process: Process, ada: Any) -> None:
        listed(ada.request())
        for key, text in world.store.values.items():
            if key.startswith(("ns:", "binding:")):
                world.store.values[key] = json.dumps([*json.loads(text), {"a later": "release"}])
        stored, calls = dict(world.store.values), len(world.backend.calls)
        assert listed(ada.elsewhere().request()) == ["c5", "c4"]
        assert (world.store.values, len(world.backend.calls)) == (stored, calls)


class TestRowsOfAnotherRelease:
    """What is cached is the backend's JSON, which each release reads into its own declaration."""

    def declared(self, data: Any) -> tuple[Any, Registry]:
        registry = Registry()

        class OtherQueries(QueryGroup, domain="energy", registry=registry):
            use_get_summary_query = query_endpoint(data=data, url="/energy/summary")

        return OtherQueries.use_get_summary_query, registry

    def test_a_field_of_another_type_and_a_new_one_have_their_defaults(
        self, world: World, process: Process, ada: Any
    ) -> None:
        query, registry = self.declared(Summary)
        EnergySummaryQueries.use_get_summary_query(ada.request())
        calls = len(world.backend.calls)
        assert query(ada.request(registry=registry)).unwrap() == Summary(counts=Counts(clients="5"))
        assert len(world.backend.calls) == calls

    def test_a_response_of_another_shape_is_fetched_and_not_shown_as_an_error(
        self, world: World, process: Process, ada: Any
    ) -> None:
        query, registry = self.declared(list[Summary])
        EnergySummaryQueries.use_get_summary_query(ada.request())
        world.backend.open_paths["/energy/summary"] = [{"total": 7}]
        assert query(ada.request(registry=registry)).unwrap() == [Summary(total=7)]
        calls = len(world.backend.calls)
        assert query(ada.request(registry=registry)).unwrap() == [Summary(total=7)]
        assert len(world.backend.calls) == calls

    def test_a_list_whose_rows_are_elsewhere_in_the_response_is_fetched(
        self, world: World, process: Process, ada: Any
    ) -> None:
        listed(ada.request())
        [key] = [key for key, text in world.store.values.items() if "items" in text]
        for body in ({"rows": []}, {"items": {}}, {"items": [[]]}, [], None, "text"):
            page = json.loads(world.store.values[key])
            world.store.values[key] = json.dumps([*page[:4], body, *page[5:]])
            reads = world.backend.reads()
            assert listed(ada.request()) == ["c5", "c4"]
            assert world.backend.reads() == reads + 1, PATH

"""The words of a search: a process asks once for a word that no row has, and knows whether the backend searches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from portal.config.contract_names import NOBODYS_WORD
from portal.config.limits import ABSENT_S
from tests.portal.query.fakes import World, unavailable
from tests.portal.query.narrow_backend import REGISTRY, Mutations, NarrowBackend, Queries, fresh, is_learned

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore
    from portal.query import QueryClient
    from tests.portal.query.fakes import Process


@pytest.fixture
def backend() -> NarrowBackend:
    return NarrowBackend()


@pytest.fixture
def world(backend: NarrowBackend) -> World:
    return World(backend=backend)


def names(client: QueryClient, **named: Any) -> list[str]:
    return [row.name for row in Queries.use_get_visits_query(client, **named).data.items]


def walked(client: QueryClient, **named: Any) -> list[str]:
    return [row.name for page in Queries.use_get_visits_query.walk(client, **named) for row in page.rows]


def again(process: Process, tokens: TokenStore) -> QueryClient:
    return process.request(tokens, registry=REGISTRY)


def probes(backend: NarrowBackend) -> int:
    return sum(params.get("q") == NOBODYS_WORD for _, _, params in backend.calls)


@pytest.mark.parametrize("words", ["nowhere", "VISIT 3", "Visit"])
def test_a_backend_that_does_not_search_finds_nothing_whatever_the_words(world: World, words: str) -> None:
    result = Queries.use_get_visits_query(fresh(world), q=words)
    assert (result.data.items, result.data.total, result.data.ignored) == ((), None, ("q",))
    assert not result.data.has_next
    assert is_learned(world, "q")
    assert [page.rows for page in Queries.use_get_visits_query.walk(fresh(world), q=words)] == [()]


def test_a_backend_that_searches_is_asked_once_by_each_process(world: World, backend: NarrowBackend) -> None:
    backend.knows = {"q"}
    process, ada = world.process(), backend.sign_in("ada")
    for words in ("Visit 3", "Visit 2", "Visit 3"):
        assert names(again(process, ada), q=words) == [words]
        assert walked(again(process, backend.sign_in("bob")), q=words) == [words]
    assert probes(backend) == 1


def test_a_search_that_finds_nothing_asks_nothing_more(world: World, backend: NarrowBackend) -> None:
    """An empty list proves nothing: all that it gives for any word is no rows."""
    backend.own = []
    process, ada = world.process(), backend.sign_in("ada")
    assert names(again(process, ada), q="nowhere") == []
    assert probes(backend) == 0
    backend.own = [{"id": "v1", "name": "x"}]
    assert names(again(process, ada), q="elsewhere") == []
    assert walked(fresh(world), q="elsewhere") == []


def test_rows_that_came_since_the_list_was_cached_are_no_answer_of_a_search(
    world: World, backend: NarrowBackend
) -> None:
    process, ada = world.process(), backend.sign_in("ada")
    names(again(process, ada))
    assert Mutations.use_create_visit_mutation(again(process, ada)).mutate(body={"name": "New"}).error is None
    backend.own.insert(0, {"id": "v9", "name": "by another user"})
    assert names(again(process, ada), q="nowhere") == []
    world.clock.now += 3 * ABSENT_S
    assert names(again(process, backend.sign_in("bob")), q="elsewhere") == []


def test_a_search_that_finds_the_whole_list_is_a_search(world: World, backend: NarrowBackend) -> None:
    backend.knows, backend.is_fuzzy = {"q"}, True
    backend.own = [{"id": "v1", "name": "Müller", "clientId": "c1"}]
    process, ada = world.process(), backend.sign_in("ada")
    assert names(again(process, ada), q="Mueller") == ["Müller"]
    backend.own.append({"id": "v2", "name": "Smith", "clientId": "c1"})
    assert names(again(process, backend.sign_in("bob")), q="Smith") == ["Smith"]


@pytest.mark.parametrize("named", [{"q": "acme", "pages": 2}, {"q": "nowhere", "cursor": "2"}])
def test_no_page_of_a_list_that_is_not_searched_is_shown(
    world: World, backend: NarrowBackend, named: dict[str, Any]
) -> None:
    backend.rows_of_a_page = 2
    backend.own = [{"id": name, "name": name} for name in ("acme a", "acme b", "zeta", "zulu")]
    assert names(fresh(world), **named) == []
    assert walked(fresh(world), q=named["q"]) == []


@pytest.mark.parametrize("reads", [names, walked])
def test_after_another_parameter_was_refused_the_words_are_still_asked_about(
    world: World, backend: NarrowBackend, reads: Any
) -> None:
    backend.refuses, backend.ignores = 400, {"q"}
    assert reads(fresh(world), q="nowhere", sort="name") == []


def test_where_the_answer_can_not_be_had_the_rows_are_shown_and_it_is_asked_again_after_ten_minutes(
    world: World, backend: NarrowBackend
) -> None:
    process, ada = world.process(), backend.sign_in("ada")
    names(again(process, ada))
    is_down = True

    def fail(method: str, path: str) -> None:
        if is_down and backend.calls[-1][2].get("q") == NOBODYS_WORD:
            raise unavailable()

    backend.before = fail
    assert len(names(again(process, ada), q="nowhere")) == 4
    tried = probes(backend)
    assert len(names(again(process, ada), q="elsewhere")) == 4
    assert len(walked(again(process, ada), q="elsewhere")) == 4
    assert probes(backend) == tried
    assert not is_learned(world, "q")
    is_down = False
    world.clock.now += ABSENT_S
    assert names(again(process, ada), q="elsewhere") == []


def test_what_another_process_has_learned_is_not_asked_again(world: World, backend: NarrowBackend) -> None:
    names(fresh(world), q="nowhere")
    assert names(fresh(world), q="elsewhere") == []
    assert probes(backend) == 1


@pytest.mark.parametrize("status", [400, 422])
def test_words_that_are_refused_whatever_they_are_are_learned_of_an_empty_list_too(
    world: World, backend: NarrowBackend, status: int
) -> None:
    backend.refuses, backend.own = status, []
    result = Queries.use_get_visits_query(fresh(world), q="nowhere")
    assert (result.error, result.data.items, result.data.ignored) == (None, (), ("q",))
    assert is_learned(world, "q")

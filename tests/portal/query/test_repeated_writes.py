"""A form that is sent again: the backend answers with what it answered first, and that is older by now."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from portal.errors import ApiNotFoundError
from tests.portal.query import answering
from tests.portal.query.fakes import FakeBackend, Process, World, unavailable

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore


@dataclass
class RepeatingBackend(FakeBackend):
    """Does a write once for each key, and repeats its first answer."""

    answered: dict[str, Any] = field(default_factory=dict)

    def _do(self, token: str | None, method: str, path: str, params: dict[str, Any], body: Any) -> Any:
        key = self.keys[-1]
        if method == "GET" or key is None:
            return super()._do(token, method, path, params, body)
        if key not in self.answered:
            self.answered[key] = copy.deepcopy(super()._do(token, method, path, params, body))
        return copy.deepcopy(self.answered[key])


@pytest.fixture
def world() -> World:
    made = World(backend=RepeatingBackend())
    made.backend.rows = [{"id": f"c{number}", "name": f"client {number}"} for number in range(3, 0, -1)]
    return made


def create(process: Process, tokens: TokenStore, key: str = "form 1", name: str = "new") -> Any:
    hook = answering.Mutations.use_create_client_mutation(process.request(tokens), idempotency_key=key)
    return hook.mutate(body={"name": name})


def listed(process: Process, tokens: TokenStore) -> dict[str, str]:
    rows = answering.Queries.use_get_clients_query(process.request(tokens)).data.items
    return {row["id"]: row["name"] for row in rows}


@pytest.mark.parametrize("cached", [True, False], ids=["cached", "not cached"])
@pytest.mark.parametrize("later_s", [1, 100, 3000])
def test_shows_nothing_that_is_older_than_what_was_written_since(
    world: World, process: Process, ada: TokenStore, cached: bool, later_s: float
) -> None:
    made = create(process, ada).unwrap()["id"]
    answering.rename(process.request(ada), made, "renamed")
    world.clock.now += later_s
    if cached:
        listed(process, ada)
        answering.shown(process.request(ada), made)
    again = create(world.process(), ada)
    assert again.unwrap() == {"id": made, "name": "new"}, "the first answer, repeated"
    for at in (process, world.process()):
        assert listed(at, ada)[made] == "renamed"
        assert answering.shown(at.request(ada), made) == "renamed"


def test_of_a_row_that_is_deleted_by_now_shows_nothing(world: World, process: Process, ada: TokenStore) -> None:
    listed(process, ada)
    made = create(process, ada).unwrap()["id"]
    answering.Mutations.use_delete_client_mutation(process.request(ada)).mutate(params={"id": made})
    create(process, ada)
    assert made not in listed(process, ada)
    assert isinstance(answering.read(process.request(ada), made).error, ApiNotFoundError)


def test_after_a_failure_is_shown_as_the_backend_has_it(world: World, process: Process, ada: TokenStore) -> None:
    listed(process, ada)
    world.backend.inside = lambda method, _path: (_ for _ in ()).throw(unavailable()) if method == "POST" else None
    assert create(process, ada).error is not None
    world.backend.inside = None
    made = create(process, ada).unwrap()["id"]
    assert listed(process, ada)[made] == "new"
    assert answering.shown(process.request(ada), made) == "new"
    assert len(world.backend.rows) == 4


def test_another_form_and_other_content_are_shown_at_once(world: World, process: Process, ada: TokenStore) -> None:
    listed(process, ada)
    reads = world.backend.reads()
    made = [
        create(process, ada, key, name).unwrap()["id"]
        for key, name in [("form 1", "a"), ("form 2", "a"), ("form 1", "b")]
    ]
    assert set(made) < set(listed(process, ada))
    assert world.backend.reads() == reads


def test_while_the_store_is_down_is_no_failure(world: World, process: Process, ada: TokenStore) -> None:
    listed(process, ada)
    world.store.down = True
    assert create(process, ada).is_success
    assert create(process, ada).is_success
    world.store.down = False
    assert "new" in listed(process, ada).values()


def test_the_store_keeps_few_of_them(world: World, process: Process, ada: TokenStore) -> None:
    listed(process, ada)
    for number in range(600):
        world.backend.rows = world.backend.rows[-3:]
        create(process, ada, f"form {number}")
    assert sum(key.startswith("sent:") for key in world.store.values) <= 256
    assert "form" not in "".join(world.store.values.values())


def test_an_empty_key_is_no_key(world: World, process: Process, ada: TokenStore) -> None:
    listed(process, ada)
    create(process, ada, key="", name="one")
    create(process, ada, key="", name="two")
    reads = world.backend.reads()
    assert [*listed(process, ada).values()][:2] == ["two", "one"]
    assert world.backend.reads() == reads

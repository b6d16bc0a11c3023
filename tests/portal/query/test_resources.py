"""`resource(…)`: one declaration gives the hooks of a resource and the counts of its list, and its rows are objects."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from portal.config.contract_names import CREATED_AT_FIELD
from portal.errors import ApiMalformedError, UsageError
from portal.query import (
    ListParams,
    MutationGroup,
    Params,
    QueryGroup,
    Row,
    RowParams,
    Values,
    create_query_group,
    query_endpoint,
    resource,
)
from portal.query.endpoints.effects import AddToList, MergeIntoList, RemoveFromList, SetAnswer
from portal.query.endpoints.registry import Registry
from tests.portal.query.world import User

REGISTRY = Registry()
PATH = "/energy/clients"
COUNTS, TOTALS = f"{PATH}/counts", f"{PATH}/totals"


class Client(Row):
    name: str = ""
    is_new: bool = False


class ClientDetail(Client):
    notes: tuple[str, ...] = ()


class DayParams(Params):
    day: date
    at_least: Decimal | None = None


class ClientsListParams(ListParams):
    home_city: Values | None = None


_clients = resource(
    PATH,
    item=Client,
    detail=ClientDetail,
    params=ClientsListParams,
    filter_fields={"homeCity": None},
    invalidates=["energy.get_summary"],
)


class Queries(QueryGroup, domain="energy", registry=REGISTRY):
    use_get_clients_query = _clients.list
    use_get_client_query = _clients.detail
    use_get_clients_counts_query = _clients.counts
    use_get_clients_totals_query = _clients.totals
    use_get_client_activity_query = _clients.activity


class Mutations(MutationGroup, domain="energy", registry=REGISTRY):
    use_create_client_mutation = _clients.create
    use_update_client_mutation = _clients.update
    use_replace_client_mutation = _clients.replace
    use_delete_client_mutation = _clients.delete
    use_restore_client_mutation = _clients.restore
    use_note_client_mutation = _clients.note


@pytest.fixture
def ada(ada: User) -> User:
    ada.registry = REGISTRY
    ada.backend.open_paths[COUNTS] = {"homeCity": {"Oslo": 2, "Köln": 0, "Graz": "many"}, "name": None}
    ada.backend.open_paths[TOTALS] = {"total": 2, "sums": {"energyKwh": 3.5, "cost": {"EUR": "7.30"}}}
    return ada


def test_rows_are_objects_of_the_declared_class(ada: User) -> None:
    result = Queries.use_get_clients_query(ada.request())
    assert result.data.items == (Client(id="c5", name="client 5"), Client(id="c4", name="client 4"))
    assert result.data.raw_res[0]["items"][0] == {"id": "c5", "name": "client 5"}
    assert result.fetch_next_page().data.items[2] == Client(id="c3", name="client 3")
    assert Queries.use_get_client_query(ada.request(), id="c1").unwrap() == ClientDetail(id="c1", name="client 1")


def test_undeclared_answer_has_no_data_and_version(ada: User) -> None:
    ada.backend.open_paths[f"{PATH}/c5"] = ["no record"]
    result = Queries.use_get_client_query(ada.request(), id="c5")
    assert (result.data, result.version, type(result.error)) == (None, None, ApiMalformedError)


def test_parameters_are_keywords_mapping_or_object(ada: User) -> None:
    client, read = ada.request(), Queries.use_get_clients_query
    by_name = read(client, home_city="Oslo", pages=2)
    assert any(params.get("homeCity") == "Oslo" for _, _, params in ada.backend.calls)
    with ada.reads(0):
        assert read(client, {"homeCity": "Oslo"}, pages=2).data == by_name.data
        assert read(client, ClientsListParams(home_city="Oslo", pages=2)).data == by_name.data
        assert read(client, params={"homeCity": "Oslo"}, pages=2).data == by_name.data


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda c: Queries.use_get_clients_query(c, homeCity="Oslo"), "homeCity is no parameter.*home_city, q, sort"),
        (lambda c: Queries.use_get_client_query(c, {"id": "c1"}, id="c1"), "by name, or all of them as params"),
        (lambda c: Queries.use_get_clients_counts_query(c, by="a", colour="b"), "colour is no .*by, home_city"),
        (lambda c: Queries.use_get_clients_counts_query(c, by="homeCity", pages=2), "pages is no parameter"),
        *(
            (lambda c, body=body: Mutations.use_create_client_mutation(c).mutate(body=body), words)
            for body, words in (
                (type("Other", (Row,), {}).partial(), "the body should be Client.partial"),
                ("x", "the body should be Client.partial"),
                ([("name", "x")], "the body should be Client.partial"),
                ({"is_new": True}, "Client has no field is_new on the wire"),
            )
        ),
    ],
)
def test_unfit_call_is_refused(ada: User, call: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        call(ada.request())


def test_resource_declares_effects() -> None:
    assert Queries.use_get_client_query.path_shape == f"{PATH}/{{id}}"
    changed = [(MergeIntoList, "energy.get_clients"), (SetAnswer, "energy.get_client")]
    figures = [f"energy.get_{name}" for name in ("clients_counts", "clients_totals", "summary")]
    stale = [*figures, "energy.get_client_activity"]
    assert {
        key.removeprefix("energy."): (
            [(type(effect), effect.target) for effect in (*hook.helpers, *hook.answers)],
            [made.target for made in hook.invalidations],
        )
        for key, hook in REGISTRY.mutations.items()
    } == {
        "create_client": ([(AddToList, "energy.get_clients")], figures),
        "update_client": (changed, stale),
        "replace_client": (changed, stale),
        "delete_client": ([(RemoveFromList, "energy.get_clients")], ["energy.get_client", *stale]),
        "restore_client": (changed, ["energy.get_clients", *stale]),
        "note_client": ([], stale[-1:]),
    }
    assert SetAnswer in map(type, resource("/a", item=Client).create.effects), "a row is the whole detail"


def test_resource_hands_its_options_on() -> None:
    named: Any = {"tags": ("clients",), "invalidates_tags": ("figures",), "newest_first_by": None}
    made = resource("/a", item=Client, stale_time_s=10, cache=False, unique_by=False, **named)
    create_query_group({"get_a": made.detail}, registry=Registry())
    for hook in (made.list, made.detail):
        assert (hook.stale_time_s, hook.cache, hook.tags) == (10, False, ("clients",))
    for hook in (made.create, made.update, made.replace, made.delete):
        assert hook.invalidated_tags == ("figures",)
    assert made.list.unique_by is False
    plain = resource("/a", item=Client)
    assert made.create.effects[0].matches is None, "only the server knows the order"
    by_creation = plain.create.effects[0].matches
    assert [by_creation(params, {}) for params in ({}, {"sort": f"-{CREATED_AT_FIELD}"}, {"sort": "name"})] == [
        *(True, True, None)
    ]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"path": "/a/"}, "the path '/a/' should not end with a slash"),
        (
            {"newest_first_by": "created_at"},
            "newest_first_by should be a field's name on the wire, one of id, createdAt",
        ),
        ({"params": Client}, "params=Client should derive from Params"),
        ({"item": dict}, "item should be a class that derives from Row, not <class 'dict'>"),
        ({"optional": True, "required": ["remove"]}, "'remove' should be one of list, detail"),
        ({"detail": list[Client]}, "detail should be a class that derives from Row, not list"),
    ],
)
def test_unfit_resource_is_refused(options: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        resource(**{"path": "/a", "item": Client, **options})


def test_records_dates_and_decimals_are_read(ada: User) -> None:
    class More(QueryGroup, domain="more", registry=Registry()):
        use_get_names_query = query_endpoint(data=tuple[Client, ...], params=DayParams, url="/names")

    ada.backend.open_paths["/names"] = [{"id": 1}, {"id": "2", "isNew": True}]
    result = More.use_get_names_query(ada.request(), day=date(2026, 1, 31), at_least=Decimal("1.50"))
    assert result.unwrap() == (Client(id="1"), Client(id="2", is_new=True))
    assert ada.backend.calls[-1][2] == {"day": "2026-01-31", "atLeast": "1.50"}


def test_counts_and_totals_are_numbers_by_field(ada: User) -> None:
    counts = Queries.use_get_clients_counts_query
    result = counts(ada.request(), by=["name", "homeCity"], home_city=["Oslo", "Köln"], q="a")
    assert result.unwrap()["homeCity"] == {"Oslo": 2, "Köln": 0, "Graz": None}
    assert ada.backend.calls[-1] == ("GET", COUNTS, {"by": "homeCity,name", "homeCity": "Köln,Oslo", "q": "a"})
    totals = Queries.use_get_clients_totals_query(ada.request(), of=["energyKwh", "cost"], home_city="Oslo").unwrap()
    assert (totals.total, totals.sums) == (2, {"energyKwh": 3.5, "cost": {"EUR": "7.30"}})
    assert ada.backend.calls[-1] == ("GET", TOTALS, {"of": "cost,energyKwh", "homeCity": "Oslo"})


def test_odd_parts_of_a_history_are_left_out(ada: User) -> None:
    """Who did what with a row, and the notes on it, in groups that name these hooks."""
    odd = [{"field": "name", "before": {"x": [1]}, "after": None}, "odd", 7]
    entries = [{"kind": "changed", "accountName": "Ada", "changes": odd}, {"id": "e0", "changes": "odd"}]
    ada.backend.open_paths[f"{PATH}/c5/activity"] = {"items": entries, "hasNext": False, "nextCursor": None}
    first, second = Queries.use_get_client_activity_query(ada.request(), id="c5").data.items
    assert [(each.field, each.before, each.after) for each in first.changes] == [("name", {"x": [1]}, None)]
    assert (first.account_name, second.changes) == ("Ada", ())


@pytest.mark.parametrize("answer", [{"status": "maintenance"}, [], "done", None, {"id": None}, {"id": ""}], ids=str)
@pytest.mark.parametrize(("hook", "row_id"), [("create", ""), ("update", "c5")])
def test_success_without_the_row_is_unknown_outcome(ada: User, hook: str, row_id: str, answer: Any) -> None:
    """A gateway in front of the backend may have answered. The write is not sent again, and its list is fetched."""
    Queries.use_get_clients_query(ada.request())
    path = f"{PATH}/{row_id}" if row_id else PATH
    ada.backend.open_paths[path] = answer
    mutation: Any = getattr(Mutations, f"use_{hook}_client_mutation")(ada.request())
    result = mutation.mutate(body=Client.partial(name="x"), **({"params": RowParams(id=row_id)} if row_id else {}))
    assert isinstance(result.error, ApiMalformedError)
    assert result.error.outcome_is_unknown
    assert [method for method, where, _ in ada.backend.calls if where == path].count("GET") == (0 if row_id else 1)
    assert sum(method != "GET" for method, _, _ in ada.backend.calls) == 1
    ada.backend.open_paths.pop(path)
    with ada.reads(1):
        Queries.use_get_clients_query(ada.request())


def test_success_of_a_deletion_has_any_answer(ada: User) -> None:
    ada.backend.open_paths[f"{PATH}/c5"] = {"status": "gone"}
    mutation = Mutations.use_delete_client_mutation(ada.request())
    assert mutation.mutate(params=RowParams(id="c5")).error is None

"""A backend of another shape below the hooks: its class turns calls and answers, its rows name their own fields."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import override_settings

from portal.api import Backend, ListQuery, wire_read, wire_write
from portal.api.tokens import TokenPair, TokenStore
from portal.config.current import portal_config
from portal.query import ListParams, QueryGroup, Row, Values, field, resource
from portal.query.calls import BackendCaller
from portal.query.endpoints.registry import Registry
from portal.rows import decoder_of, id_field
from tests.portal.api.sessions import make_session
from tests.portal.query.clients import delete, listed
from tests.portal.query.fakes import FakeBackend
from tests.portal.query.world import User
from tests.support.http_server import reply, scripted_server


class Customer(Row):
    """A row that has its id and its time of creation by other names."""

    id: str = field(default="", name="uuid")
    created_at: datetime | None = field(default=None, name="created")
    name: str = ""


class Keyset(Backend):
    """Lists as of Stripe: the cursor is the id of the last row."""

    me_path = "/users/me"

    def build_list_params(self, query: ListQuery) -> dict[str, Any]:
        return {"limit": query.limit, "starting_after": query.cursor, **query.filters}

    def read_page(self, query: ListQuery, body: Any) -> dict[str, Any]:
        last = body["data"][-1]["uuid"] if body["has_more"] else None
        return {"items": body["data"], "hasNext": body["has_more"], "nextCursor": last}

    def read_profile(self, body: Any) -> dict[str, Any]:
        return {"id": body["sub"], "permissions": body["scope"].split()}


@pytest.fixture(autouse=True)
def keyset() -> Iterator[None]:
    with override_settings(PORTAL=replace(portal_config(), backend=Keyset())):
        yield


def test_row_has_id_and_creation_by_other_names() -> None:
    """So no resource has to name them."""
    row = decoder_of(Customer)({"uuid": "u-1", "created": 1_700_000_000, "name": "Ada"})
    assert (row.id, row.created_at) == ("u-1", datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC))
    assert (id_field(Customer), id_field(Row), id_field(dict), id_field(None)) == ("uuid", "id", "id", "id")
    made = resource("/v1/customers", item=Customer, params=ListParams)
    assert made.list.unique_by == "uuid"
    assert made.detail._made_request(key=None).id_field == made.list._made_request(key=None).id_field == "uuid"


class TestTheCall:
    def test_page_is_built_and_read_by_the_class(self) -> None:
        call = wire_read(
            "/v1/customers", {"limit": "20", "cursor": "u-9", "city": "Ulm"}, is_list=True, id_field="uuid"
        )
        assert (call.path, call.params) == ("/v1/customers", {"limit": "20", "starting_after": "u-9", "city": "Ulm"})
        body = {"data": [{"uuid": "u-1"}, {"uuid": "u-2"}], "has_more": True}
        assert call.read(body) == {
            "items": [{"uuid": "u-1", "id": "u-1"}, {"uuid": "u-2", "id": "u-2"}],
            "hasNext": True,
            "nextCursor": "u-2",
        }
        assert body["data"] == [{"uuid": "u-1"}, {"uuid": "u-2"}], "what came stays as it came"

    def test_row_of_read_and_write_has_its_id(self) -> None:
        for call in (wire_read("/v1/customers/u-1", {}, id_field="uuid"), wire_write("/v1/customers", id_field="uuid")):
            assert call.read({"uuid": "u-1", "id": 7}) == {"uuid": "u-1", "id": "u-1"}
            assert call.read(None) is None
            assert call.read({"other": 1}) == {"other": 1}

    def test_profile_is_read_by_the_class(self) -> None:
        call = wire_read("/me")
        assert call.path == "/users/me"
        assert call.read({"sub": "u", "scope": "A B"}) == {"id": "u", "permissions": ["A", "B"]}
        assert wire_write("/me", body={"name": "Ada"}).path == "/users/me"


class Numbered(FakeBackend):
    """A backend whose cursor is the number of rows before the page."""

    def _page(self, params: dict[str, Any]) -> dict[str, Any]:
        at = int(params.get("cursor") or 0)
        more = at + 2 < len(self.rows)
        return {"items": self.rows[at : at + 2], "hasNext": more, "nextCursor": str(at + 2) if more else None}


def test_numbered_pages_lose_no_row(ada: User) -> None:
    ada.world.backend = Numbered(rows=ada.backend.rows, users=ada.backend.users)
    numbered = type("ByNumber", (Backend,), {"cursors_are_positions": True})()
    with override_settings(PORTAL=replace(portal_config(), backend=numbered)):
        listed(ada)
        listed(ada, cursor="2")
        delete(ada, "c4")
        assert listed(ada) + listed(ada, cursor="2") == ["c5", "c3", "c2", "c1"]
        listed(ada)
        delete(ada, "c5")
        assert listed(ada, pages=2) == ["c3", "c2", "c1"]


class JobsParams(ListParams):
    city: str | None = None
    status: Values | None = None
    tag: tuple[str, ...] | None = None


_jobs = resource("/v1/jobs", item=Row, params=JobsParams, filter_fields=dict.fromkeys(("city", "status", "tag")))


class Jobs(QueryGroup, domain="jobs", registry=Registry()):
    use_get_jobs_query = _jobs.list
    use_get_jobs_counts_query = _jobs.counts


@pytest.mark.parametrize(
    ("repeats", "page", "counts"),
    [
        (False, "city=Kiel%2C+Nord&status=a%5C%2C+%5C%5C%2Cb&tag=x%2Cy", "status=c%2Cd&by=city%2Ctag"),
        (True, "city=Kiel%2C+Nord&status=a%2C+%5C&status=b&tag=x&tag=y", "status=c&status=d&by=city&by=tag"),
    ],
)
def test_several_values_arrive_as_the_class_says(repeats: bool, page: str, counts: str) -> None:
    listed = Jobs.use_get_jobs_query.spec(city="Kiel, Nord", status=["b", "a, \\"], tag=("x", "y"))
    counted = Jobs.use_get_jobs_counts_query.spec(status="c,d", by=["tag", "city"])
    backend = type("Jobs", (Backend,), {"repeats_values": repeats})()
    with (
        override_settings(PORTAL=replace(portal_config(), backend=backend)),
        scripted_server(lambda _, out: out.sendall(reply())) as server,
        make_session(server.url) as api,
    ):
        caller = BackendCaller(api=api, tokens=TokenStore(TokenPair()))
        caller.read(listed.query.page_address(cursor=None))
        caller.read(counted.query.address())
    assert [call.target for call in server.received] == [f"/v1/jobs?limit=20&{page}", f"/v1/jobs/counts?{counts}"]

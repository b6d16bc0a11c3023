"""Every declared endpoint, called against the running sandbox: addresses, shapes and fields are as declared."""

import dataclasses
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any, get_type_hints, is_typeddict
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest
import requests
from django.conf import settings

from portal.api.session import make_session
from portal.api.tokens import NO_TOKENS, TokenPair, TokenStore
from portal.config import contract_names
from portal.config.limits import VAR_DEFAULT_PAGE_SIZE
from portal.config.projects import PROJECTS
from portal.errors import ApiForbiddenError, ApiNotFoundError, ApiValidationError
from portal.query import QueryClient, Record, create_query_client
from portal.query.endpoints import parameter_names
from portal.query.endpoints.registry import REGISTRY
from portal.query.process_state import QueryRuntime
from portal.rows import field_types
from portal.services.auth import AuthMutations
from portal.services.endpoint_list import all_entries
from portal.services.energy.clients import ClientQueries
from portal.services.operations.chargers import OperationsChargerQueries
from portal.services.operations.people import PersonQueries
from portal.services.operations.stations import OperationsStationQueries
from portal.services.user import UserQueries
from portal_dev.openapi import read_document, read_operations
from portal_dev.openapi.document import Node
from tests.portal.query.fakes import FakeStore
from tests.support.harness import RunningStack, create_account, running_stack
from tests.support.processes import until
from tests.support.schema_values import example, misfits

ADMIN, PASSWORD = "admin@example.com", "a password for tests"
#: Who has forgotten the password: all its sign-ins end with the new one.
FORGETFUL = "none@example.com"
SERVICES = {entry.key for entry in all_entries()}
ALL_LISTS = sorted(key for key in SERVICES & set(REGISTRY.queries) if REGISTRY.queries[key].is_list)
LISTS = [key for key in ALL_LISTS if "{" not in REGISTRY.queries[key].path_shape]
LISTS_OF_A_ROW = sorted({*ALL_LISTS} - {*LISTS})
COUNTS, TOTALS = (
    {f"{REGISTRY.queries[key].path_shape}/{ending}": key for key in LISTS}
    for ending in (contract_names.COUNTS_SEGMENT, contract_names.TOTALS_SEGMENT)
)
COUNTED = sorted(key for key in SERVICES & set(REGISTRY.queries) if REGISTRY.queries[key].path_shape in COUNTS)
SUMMED = sorted(key for key in SERVICES & set(REGISTRY.queries) if REGISTRY.queries[key].path_shape in TOTALS)
#: What is added up, by the path.
SUMS = {"/energy/sessions/totals": ["cost", "energyKwh"], "/finance/invoices/totals": ["amount"]}
ANSWERS = sorted(SERVICES & set(REGISTRY.queries) - {*ALL_LISTS, *COUNTED, *SUMMED})
MUTATIONS = sorted(SERVICES & set(REGISTRY.mutations))


class Sandbox:
    """The running sandbox, its published schema, and clients of it."""

    def __init__(self, stack: RunningStack) -> None:
        self.stack = stack
        self.api = make_session(dataclasses.replace(settings.PORTAL, api_base_url=stack.backend))
        self.runtime = QueryRuntime(FakeStore())  # it has the interface
        self.described = read_document(self.get("/openapi.json").text)
        self.admin = self.sign_in()
        self.known = self._known_values()

    def get(self, path: str, **headers: str) -> requests.Response:
        with requests.Session() as session:
            session.trust_env = False
            return session.get(f"{self.stack.backend}{path}", headers=headers, timeout=10)

    def client(self, pair: TokenPair = NO_TOKENS) -> QueryClient:
        """Make a client: a request of its own, in one process, with or without tokens."""
        return create_query_client(tokens=TokenStore(pair), api=self.api, runtime=self.runtime)

    def sign_in(self, email: str = ADMIN, password: str = PASSWORD) -> TokenPair:
        login = AuthMutations.use_login_mutation(self.client())
        tokens = login.mutate(body={"email": email, "password": password}).unwrap()
        return TokenPair(access=tokens["accessToken"], refresh=tokens["refreshToken"])

    def _known_values(self) -> dict[str, Any]:
        """Return values that no schema can know."""
        client = self.client(self.sign_in())
        AuthMutations.use_forgot_password_mutation(self.client()).mutate(body={"email": FORGETFUL}).unwrap()
        # The link in the "mail" is a line of the sandbox's log.
        pattern = rf"mail to {re.escape(FORGETFUL)}: .*?(http\S+)"
        mail = until(lambda: re.search(pattern, self.stack.log.read_text()), what="a mail")
        return {
            contract_names.LOGIN_EMAIL_FIELD: ADMIN,
            contract_names.LOGIN_PASSWORD_FIELD: PASSWORD,
            contract_names.REFRESH_TOKEN_FIELD: self.sign_in().refresh,
            "stationId": OperationsStationQueries.use_get_operations_stations_query(client).data.items[0].id,
            "chargerId": OperationsChargerQueries.use_get_operations_chargers_query(client).data.items[0].id,
            "assigneeId": PersonQueries.use_get_people_query(client).data.items[0].id,
            "token": parse_qs(urlsplit(mail[1]).query)["token"][0],
        }


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """The sandbox alone, with an account that may do everything."""
    apps = tuple(project.app for project in PROJECTS)
    with running_stack(tmp_path_factory.mktemp("contract"), without=apps) as stack:
        permissions = ("IAM_ADMIN", "ENERGY_APP", "OPERATIONS_APP", "FINANCE_APP")
        create_account(stack.local.environment, ADMIN, *permissions, password=PASSWORD)
        made = Sandbox(stack)
        yield made
        made.api.close()


@pytest.fixture
def client(sandbox: Sandbox) -> QueryClient:
    return sandbox.client(sandbox.admin)


def assert_fields(row: Any, declared: Any) -> None:
    """Every declared field is there."""
    if isinstance(declared, type) and issubclass(declared, Record):
        assert isinstance(row, declared)
    elif is_typeddict(declared):
        assert set(get_type_hints(declared)) <= set(row), declared.__name__


@pytest.mark.parametrize("key", LISTS)
def test_a_list_has_pages_and_rows_as_declared(key: str, client: QueryClient) -> None:
    hook: Any = REGISTRY.queries[key]
    result = hook(client)
    assert result.error is None
    assert result.data.items, "seeded"
    assert set(result.data.raw_res[0]) == {"items", "hasNext", "nextCursor", "total"}
    assert isinstance(result.data.items[0], hook.item)
    assert {*field_types(hook.item)} <= {*result.data.raw_res[0]["items"][0]}
    if result.has_next_page:
        assert len(result.data.items) == VAR_DEFAULT_PAGE_SIZE
        both = result.fetch_next_page()
        assert both.error is None
        assert len({row.id for row in both.data.items}) > VAR_DEFAULT_PAGE_SIZE
    ids = [row.id for row in result.data.items]
    turned = hook(client, {"sort": "createdAt"})
    assert turned.error is None
    if not result.has_next_page:
        assert [row.id for row in turned.data.items] == ids[::-1]


@pytest.mark.parametrize("key", LISTS_OF_A_ROW)
def test_a_list_of_a_row_has_entries_as_declared_and_is_that_of_the_row(key: str, client: QueryClient) -> None:
    hook: Any = REGISTRY.queries[key]
    path = hook.path_shape.partition("/{")[0]
    rows: Any = next(REGISTRY.queries[of] for of in LISTS if REGISTRY.queries[of].path_shape == path)
    name = hook.path_shape.partition("/{")[2].partition("}")[0]
    found = (hook(client, {name: row.id}) for row in rows(client, pages=5).data.items)
    first, second = next(each for each in found if each.data.items), next(found)
    assert {*field_types(hook.item)} <= {*first.data.raw_res[0]["items"][0]}
    assert not {row.id for row in first.data.items} & {row.id for row in second.data.items}
    assert isinstance(hook(client, {name: "nobody"}).error, ApiNotFoundError)


def nobodys(name: str) -> str:
    """A value of a list's parameter that leaves no row."""
    limits = {contract_names.FROM_SUFFIX: "2999-01-01T00:00:00Z", contract_names.TO_SUFFIX: "1999-01-01T00:00:00Z"}
    return next((limit for suffix, limit in limits.items() if name.endswith(suffix)), "no row has this")


@pytest.mark.parametrize("key", LISTS)
def test_a_list_knows_each_of_its_parameters(key: str, client: QueryClient) -> None:
    hook: Any = REGISTRY.queries[key]
    for name in sorted(parameter_names(hook.params)):
        result = hook(client, {name: "name" if name == "sort" else nobodys(name)})
        assert result.error is None, name
        assert bool(result.data.items) == (name == "sort"), f"{name} filters"


@pytest.mark.parametrize("key", ANSWERS)
def test_a_response_has_its_declared_fields(key: str, client: QueryClient) -> None:
    hook: Any = REGISTRY.queries[key]
    if "{" not in hook.path_shape:
        assert_fields(hook(client).unwrap(), hook.data)
        return
    rows: Any = next(
        REGISTRY.queries[of] for of in LISTS if REGISTRY.queries[of].path_shape + "/{id}" == hook.path_shape
    )
    row_id = rows(client).data.items[0].id
    row = hook(client, {"id": row_id}).unwrap()
    assert row.id == row_id
    assert_fields(row, hook.data)
    assert isinstance(hook(client, {"id": "nobody"}).error, ApiNotFoundError)


@pytest.mark.parametrize("key", [key for key in ANSWERS if key.endswith(".get_summary")])
def test_a_summary_knows_each_of_its_parameters(key: str, client: QueryClient) -> None:
    hook: Any = REGISTRY.queries[key]
    period = {"from": "2026-01-31T23:00:00Z", "to": "2026-02-28T23:00:00Z", "timeZone": "Europe/Berlin"}
    asked = {name: period[name] for name in parameter_names(hook.params)}
    start = hook(client, asked).unwrap().period.start
    assert start == datetime.fromisoformat(period["from"])
    for name in asked:
        assert isinstance(hook(client, {**asked, name: "none"}).error, ApiValidationError), name


@pytest.mark.parametrize("key", COUNTED)
def test_the_numbers_beside_a_filter_are_those_of_the_list_that_it_leaves(key: str, client: QueryClient) -> None:
    hook: Any = REGISTRY.queries[key]
    rows: Any = REGISTRY.queries[COUNTS[hook.path_shape]]
    others = {"q", "sort", contract_names.COUNTS_BY_PARAM}
    ranges = (contract_names.FROM_SUFFIX, contract_names.TO_SUFFIX)
    filters = sorted(name for name in parameter_names(hook.params) - others if not name.endswith(ranges))
    counts = hook(client, {contract_names.COUNTS_BY_PARAM: filters}).unwrap()
    assert sorted(counts) == filters
    for name in filters:
        for value, number in list(counts[name].items())[:3]:
            assert rows(client, {name: [value]}).data.total == number, (name, value)
    assert isinstance(hook(client, {contract_names.COUNTS_BY_PARAM: "nothing"}).error, ApiValidationError)


@pytest.mark.parametrize("key", SUMMED)
def test_the_sums_of_a_list_are_those_of_its_rows(key: str, client: QueryClient) -> None:
    hook: Any = REGISTRY.queries[key]
    listed: Any = REGISTRY.queries[TOTALS[hook.path_shape]]
    names, params = SUMS[hook.path_shape], {"status": ["failed", "overdue"]}
    rows = [row for page in listed.walk(client, params) for row in page.rows]
    found = hook(client, {**params, contract_names.TOTALS_OF_PARAM: names}).unwrap()
    assert found.total == len(rows) > VAR_DEFAULT_PAGE_SIZE
    for name in names:
        values = [getattr(row, field_types(listed.item)[name].name) for row in rows]
        is_money = isinstance(values[0], Decimal)
        assert found.sums[name] == ({"EUR": str(sum(values))} if is_money else pytest.approx(sum(values)))
    assert isinstance(hook(client, {contract_names.TOTALS_OF_PARAM: "nothing"}).error, ApiValidationError)


class Write:
    """A declared write, with what the schema says of it, called as one account."""

    def __init__(self, key: str, client: QueryClient, sandbox: Sandbox) -> None:
        self.hook: Any = REGISTRY.mutations[key]
        # A parameter of the path may have any name.
        paths = {re.sub(r"\{[^}]*\}", "{}", path): item for path, item in sandbox.described.members("paths").items()}
        operation = paths[re.sub(r"\{[^}]*\}", "{}", self.hook.path_shape)].child(self.hook.method.lower())
        body = operation.child("requestBody", "content", "application/json", "schema")
        self.body: Node | None = body.target() if body is not None else None
        self._client, self._sandbox = client, sandbox

    def needed(self) -> list[str]:
        """The fields that the body must have."""
        return list(self.body.value.get("required", [])) if self.body is not None else []

    def send(self, *, only: str | None = None, row_id: str | None = None, body: Any = None) -> Any:
        """Send an example of the body, or this body."""
        parts: dict[str, Any] = {} if row_id is None else {"params": {"id": row_id}}
        if self.body is not None:
            parts["body"] = example(self.body, known=self._sandbox.known, only=only) if body is None else body
        return self.hook(self._client).mutate(**parts)

    def row_id(self) -> str:
        """The id of a row to write to: one that is made for it, else one that is there, but not the newest."""
        path = self.hook.path_shape.partition("/{")[0]
        for key in MUTATIONS:
            made = REGISTRY.mutations[key]
            if (made.method, made.path_shape) == ("POST", path):
                return str(Write(key, self._client, self._sandbox).send().unwrap().id)
        listed: Any = next(REGISTRY.queries[key] for key in LISTS if REGISTRY.queries[key].path_shape == path)
        return str(listed(self._client).data.items[1].id)


@pytest.fixture
def write(sandbox: Sandbox) -> Callable[[str], Write]:
    # Two sign-ins: the older one may be ended.
    sandbox.sign_in()
    client = sandbox.client(sandbox.sign_in())
    return lambda key: Write(key, client, sandbox)


def writes(*methods: str, rows: bool) -> list[str]:
    """The keys of writes with these methods, to one row or not."""
    hooks = {key: REGISTRY.mutations[key] for key in MUTATIONS}
    return [key for key, hook in hooks.items() if hook.method in methods and ("{" in hook.path_shape) is rows]


@pytest.mark.parametrize("key", writes("POST", "PUT", "PATCH", rows=False))
def test_a_write_takes_what_the_schema_needs_and_answers_as_declared(key: str, write: Callable[[str], Write]) -> None:
    call = write(key)
    answer = call.send().unwrap()
    assert_fields(answer, call.hook.data)
    if call.needed():
        error = call.send(body={}).error
        assert isinstance(error, ApiValidationError)
        assert set(error.errors) == set(call.needed())


@pytest.mark.parametrize("key", writes("PUT", "PATCH", rows=True))
def test_changed_field_answers_with_the_changed_row(key: str, write: Callable[[str], Write], sandbox: Sandbox) -> None:
    call = write(key)
    row_id = call.row_id()
    assert call.body is not None
    for name in call.body.value["properties"]:
        sent = example(call.body, known=sandbox.known, only=name)
        changed = call.send(row_id=row_id, body=sent).unwrap()
        assert_fields(changed, call.hook.data)
        assert changed.id == row_id
        assert msgspec.json.decode(msgspec.json.encode(changed))[name] == sent[name]
    assert isinstance(call.send(row_id="nobody", body={}).error, ApiNotFoundError)


@pytest.mark.parametrize("key", writes("DELETE", rows=True))
def test_what_is_deleted_is_gone(key: str, write: Callable[[str], Write]) -> None:
    call = write(key)
    row_id = call.row_id()
    assert call.send(row_id=row_id).unwrap() is None
    assert isinstance(call.send(row_id=row_id).error, ApiNotFoundError)


def test_an_action_on_a_row_is_there(write: Callable[[str], Write]) -> None:
    for key in writes("POST", rows=True):
        call = write(key)
        row_id = call.row_id()
        if call.hook.path_shape.endswith("/restore"):
            row = call.hook.path_shape.removesuffix("/restore")
            delete = next(each for each in writes("DELETE", rows=True) if REGISTRY.mutations[each].path_shape == row)
            write(delete).send(row_id=row_id).unwrap()
        assert not isinstance(call.send(row_id=row_id).error, ApiNotFoundError), key
        assert isinstance(call.send(row_id="nobody").error, ApiNotFoundError), key


def test_each_write_is_tried() -> None:
    tried = [*writes("POST", "PUT", "PATCH", rows=False), *writes("POST", "PUT", "PATCH", "DELETE", rows=True)]
    assert sorted(tried) == MUTATIONS


def test_answers_of_the_sandbox_fit_its_schema(sandbox: Sandbox) -> None:
    def ask(path: str) -> Any:
        return sandbox.get(path, Authorization=f"Bearer {sandbox.admin.access}").json()

    reads = [each for each in read_operations(sandbox.described) if each.method == "GET"]
    assert len(reads) >= len(LISTS) + len(COUNTED) + len(SUMMED) + len(ANSWERS)
    filters = {each.path: [given.name for given in each.parameters if given.is_repeated is False] for each in reads}
    for each in reads:
        path = each.path
        if path in SUMS:
            path = f"{path}?{contract_names.TOTALS_OF_PARAM}={','.join(SUMS[path])}"
        if path in COUNTS:
            path = f"{path}?{contract_names.COUNTS_BY_PARAM}={','.join(filters[path])}"
        if "{" in each.path:
            path = re.sub(r"\{[^}]*\}", ask(path.partition("/{")[0])["items"][0]["id"], path)
        answers = sandbox.described.child("paths", each.path, "get", "responses", "200", "content", "application/json")
        assert (path, misfits(ask(path), answers.child("schema"))) == (path, [])


def test_an_account_without_the_permission_gets_403(sandbox: Sandbox) -> None:
    finance = sandbox.client(sandbox.sign_in("finance@example.com", "demo"))
    assert isinstance(ClientQueries.use_get_clients_query(finance).error, ApiForbiddenError)
    assert UserQueries.use_get_me_query(finance).unwrap()["permissions"] == ["FINANCE_APP"]


def test_an_id_with_slashes_and_dots_reaches_no_other_address(client: QueryClient) -> None:
    for row_id in ("../me", "..", ".", "a/../../me", "%2e%2e/me", "?x=1", ""):
        result = ClientQueries.use_get_client_query(client, {"id": row_id})
        assert isinstance(result.error, ApiNotFoundError), row_id

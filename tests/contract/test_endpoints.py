"""Every declared endpoint, called against the running sandbox: addresses, shapes and fields are as declared."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any, get_type_hints, is_typeddict

import msgspec
import pytest
from django.conf import settings

from portal.api.session import make_session
from portal.api.tokens import NO_TOKENS, TokenPair, TokenStore
from portal.config.limits import VAR_DEFAULT_PAGE_SIZE
from portal.config.projects import PROJECTS
from portal.errors import ApiForbiddenError, ApiNotFoundError, ApiUnauthorizedError, ApiValidationError
from portal.query import Record, create_query_client
from portal.query.endpoints import parameter_names
from portal.query.endpoints.registry import REGISTRY
from portal.query.process_state import runtime_for
from portal.query.rows import field_types
from portal.services.auth import AuthMutations
from portal.services.endpoint_list import all_entries
from portal.services.energy.clients import ClientMutations, ClientQueries
from portal.services.iam.accounts import AccountQueries
from portal.services.iam.sign_ins import SignInQueries
from portal.services.user import UserQueries
from tests.portal.query.fakes import FakeStore
from tests.support.harness import ROOT, RunningStack, running_stack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from portal.query import QueryClient

ADMIN, PASSWORD = "admin@example.com", "a password for tests"
SERVICES = {entry.key for entry in all_entries()}
LISTS = sorted(key for key in SERVICES & set(REGISTRY.queries) if REGISTRY.queries[key].is_list)
ANSWERS = sorted(key for key in SERVICES & set(REGISTRY.queries) if not REGISTRY.queries[key].is_list)
MUTATIONS = sorted(SERVICES & set(REGISTRY.mutations))


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    """The sandbox alone, with an account that may do everything."""
    apps = tuple(project.app for project in PROJECTS)
    with running_stack(tmp_path_factory.mktemp("contract"), without=apps) as stack:
        environment = {**os.environ, **stack.local.environment}
        command = [sys.executable, "-m", "sandbox_api", "create_account", "--email", ADMIN, "--permissions"]
        subprocess.run(
            [*command, "IAM_ADMIN", "ENERGY_APP", "OPERATIONS_APP", "FINANCE_APP"],
            cwd=ROOT,
            env={name: value for name, value in environment.items() if value is not None},
            input=f"{PASSWORD}\n".encode(),
            check=True,
            capture_output=True,
        )
        yield stack


@pytest.fixture(scope="module")
def new_client(sandbox: RunningStack) -> Iterator[Callable[..., QueryClient]]:
    """Makes a client: a request of its own, in one process, with or without tokens."""
    api = make_session(dataclasses.replace(settings.PORTAL, api_base_url=sandbox.backend))
    runtime = runtime_for(FakeStore())  # it has the interface
    yield lambda pair=NO_TOKENS: create_query_client(tokens=TokenStore(pair), api=api, runtime=runtime)
    api.close()


@pytest.fixture(scope="module")
def sign_in(new_client: Callable[..., QueryClient]) -> Callable[..., TokenPair]:
    """Signs in; gives the tokens."""

    def run(email: str = ADMIN, password: str = PASSWORD) -> TokenPair:
        login = AuthMutations.use_login_mutation(new_client())
        tokens = login.mutate(body={"email": email, "password": password}).unwrap()
        return TokenPair(access=tokens["accessToken"], refresh=tokens["refreshToken"])

    return run


@pytest.fixture(scope="module")
def admin(sign_in: Callable[..., TokenPair]) -> TokenPair:
    return sign_in()


@pytest.fixture
def client(new_client: Callable[..., QueryClient], admin: TokenPair) -> QueryClient:
    return new_client(admin)


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


@pytest.mark.parametrize("key", LISTS)
def test_a_list_knows_each_of_its_parameters(key: str, client: QueryClient) -> None:
    hook: Any = REGISTRY.queries[key]
    for name in sorted(parameter_names(hook.params)):
        value = "name" if name == "sort" else "no row has this"
        result = hook(client, {name: value})
        assert result.error is None, name
        assert bool(result.data.items) == (name == "sort"), f"{name} filters"


@pytest.mark.parametrize("key", ANSWERS)
def test_a_response_has_its_declared_fields(key: str, client: QueryClient) -> None:
    hook: Any = REGISTRY.queries[key]
    if hook.params is None:
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


def _login(client: QueryClient, hook: Any, sign_in: Callable[..., TokenPair]) -> None:
    assert isinstance(hook(client).mutate(body={"email": ADMIN, "password": "wrong"}).error, ApiUnauthorizedError)
    assert_fields(hook(client).mutate(body={"email": ADMIN, "password": PASSWORD}).unwrap(), hook.data)


def _logout(client: QueryClient, hook: Any, sign_in: Callable[..., TokenPair]) -> None:
    assert hook(client).mutate(body={"refreshToken": sign_in().refresh}).unwrap() is None


def _create_client(client: QueryClient, hook: Any, sign_in: Callable[..., TokenPair]) -> None:
    created = hook(client).mutate(body={"name": "Ada", "email": "ada@example.com"}).unwrap()
    assert_fields(created, hook.data)
    error = hook(client).mutate(body={"name": "", "email": "no address"}).error
    assert isinstance(error, ApiValidationError)
    assert set(error.errors) == {"name", "email"}


def _update_client(client: QueryClient, hook: Any, sign_in: Callable[..., TokenPair]) -> None:
    row = ClientQueries.use_get_clients_query(client).data.items[0]
    changed = hook(client).mutate(body={"city": "Bergen"}, params={"id": row.id}).unwrap()
    assert changed == msgspec.structs.replace(row, city="Bergen")


def _delete_client(client: QueryClient, hook: Any, sign_in: Callable[..., TokenPair]) -> None:
    made = ClientMutations.use_create_client_mutation(client)
    row = made.mutate(body={"name": "Ada", "email": "ada@example.com"}).unwrap()
    assert hook(client).mutate(params={"id": row.id}).unwrap() is None
    assert isinstance(hook(client).mutate(params={"id": row.id}).error, ApiNotFoundError)


def _update_account(client: QueryClient, hook: Any, sign_in: Callable[..., TokenPair]) -> None:
    account = next(
        row for row in AccountQueries.use_get_accounts_query(client).data.items if row.email == "none@example.com"
    )
    changed = hook(client).mutate(body={"permissions": ["FINANCE_APP"]}, params={"id": account.id}).unwrap()
    assert changed.permissions == ("FINANCE_APP",)
    assert_fields(changed, hook.data)


def _end_sign_in(client: QueryClient, hook: Any, sign_in: Callable[..., TokenPair]) -> None:
    sign_in()
    other = next(row for row in SignInQueries.use_get_sign_ins_query(client).data.items if not row.current)
    assert hook(client).mutate(params={"id": other.id}).unwrap() is None
    left = SignInQueries.use_get_sign_ins_query(client).refetch().data.items
    assert other.id not in {row.id for row in left}


def _create_work_order(client: QueryClient, hook: Any, sign_in: Callable[..., TokenPair]) -> None:
    created = hook(client).mutate(body={"title": "Replace a fuse", "priority": "high"}).unwrap()
    assert_fields(created, hook.data)


def _update_work_order(client: QueryClient, hook: Any, sign_in: Callable[..., TokenPair]) -> None:
    create: Any = REGISTRY.mutations["operations.create_work_order"]
    row = create(client).mutate(body={"title": "Replace a fuse", "priority": "high"}).unwrap()
    done = hook(client).mutate(body={"status": "done"}, params={"id": row.id}).unwrap()
    assert done.completed_at


WRITES = {
    "auth.login": _login,
    "auth.logout": _logout,
    "energy.create_client": _create_client,
    "energy.update_client": _update_client,
    "energy.delete_client": _delete_client,
    "iam.update_account": _update_account,
    "iam.end_sign_in": _end_sign_in,
    "operations.create_work_order": _create_work_order,
    "operations.update_work_order": _update_work_order,
}


@pytest.mark.parametrize("key", MUTATIONS)
def test_a_write_does_what_it_declares(key: str, client: QueryClient, sign_in: Callable[..., TokenPair]) -> None:
    assert key in WRITES, "write an example for the new mutation, above"
    WRITES[key](client, REGISTRY.mutations[key], sign_in)


def test_an_account_without_the_permission_gets_403(
    new_client: Callable[..., QueryClient], sign_in: Callable[..., TokenPair]
) -> None:
    finance = new_client(sign_in("finance@example.com", "demo"))
    assert isinstance(ClientQueries.use_get_clients_query(finance).error, ApiForbiddenError)
    assert UserQueries.use_get_me_query(finance).unwrap()["permissions"] == ["FINANCE_APP"]


def test_an_id_with_slashes_and_dots_reaches_no_other_address(client: QueryClient) -> None:
    for row_id in ("../me", "..", ".", "a/../../me", "%2e%2e/me", "?x=1", ""):
        result = ClientQueries.use_get_client_query(client, {"id": row_id})
        assert isinstance(result.error, ApiNotFoundError), row_id

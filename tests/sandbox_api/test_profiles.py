"""The sandbox as a backend that has less: in its answers and in the schema that it publishes."""

import pytest
from django.contrib.auth.hashers import make_password
from django.urls import get_resolver
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerView

from sandbox_api.energy.models import Client
from sandbox_api.profiles import PROFILES, path_shape

KINDS = ("document", "contract", "strict")


@pytest.fixture
def use(configure):
    """Make the sandbox one of this profile."""

    def choose(name):
        configure(profile=PROFILES[name], honour_idempotency_key=PROFILES[name].honours_idempotency_key)

    return choose


@pytest.fixture
def caller(sign_in):
    return sign_in("ENERGY_APP", "OPERATIONS_APP", "FINANCE_APP", "IAM_ADMIN")


@pytest.fixture
def clients(db):
    Client.objects.create(id="cli_1", name="Ada", email="ada@example.com", city="Ulm")
    Client.objects.create(id="cli_2", name="Bea", email="bea@example.com", city="Bern")


def schema():
    return SchemaGenerator().get_schema(public=True)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_in_the_table_is_not_there(use, caller, problem, kind):
    use(kind)
    calls, absent = PROFILES[kind].calls, 403 if kind == "strict" else 404
    shapes = {
        path_shape(str(each.pattern)): each.callback.cls
        for each in get_resolver("sandbox_api.urls").url_patterns
        if getattr(each.callback, "cls", None) not in {None, SpectacularJSONAPIView, SpectacularSwaggerView}
    }
    for path, call in calls.items():
        assert all(hasattr(shapes[path], method.lower()) for method in call.methods), path
    for path in (*(shape.replace("{id}", "x") for shape in shapes if shape not in calls), "/nothing", "/me/x"):
        for method in (caller.get, caller.post):
            assert problem(method(path), absent), path
    answer = caller.patch("/me", {"name": "X"})
    assert problem(answer, 403 if kind == "strict" else 405)
    assert kind == "strict" or "PATCH" not in answer["Allow"]


@pytest.mark.parametrize(
    ("kind", "fields"), [("document", {"permissions"}), ("contract", {"id", "email", "name", "permissions"})]
)
def test_the_profile_has_the_promised_fields(use, caller, kind, fields):
    use(kind)
    assert set(caller.get("/me").json()) == fields


class TestDocument:
    @pytest.fixture(autouse=True)
    def _of_this_kind(self, use):
        use("document")

    def test_a_list_has_pages_and_rows_as_a_create_sends_them(self, caller, clients):
        page = caller.get("/energy/clients?limit=1&q=nobody&sort=nothing&city=Ulm&createdAtFrom=x").json()
        assert set(page) == {"items", "hasNext", "nextCursor"}
        assert page["items"] == [
            {"id": "cli_2", "name": "Bea", "email": "bea@example.com", "phone": None, "city": "Bern"}
        ]
        assert caller.get(f"/energy/clients?cursor={page['nextCursor']}").json()["items"][0]["id"] == "cli_1"

    def test_a_row_is_made_read_and_deleted_and_never_changed(self, caller, problem):
        created = caller.post("/energy/clients", {"name": "Cy", "email": "cy@example.com"})
        assert (created.status_code, set(created.json())) == (201, {"id", "name", "email", "phone", "city"})
        path = f"/energy/clients/{created.json()['id']}"
        assert caller.get(path).json() == created.json()
        assert "ETag" not in caller.get(path)
        assert problem(caller.patch(path, {"name": "X"}), 405)
        assert caller.delete(path, headers={"If-Match": '"7"'}).status_code == 204

    def test_the_same_key_makes_two_rows(self, caller):
        body, headers = {"name": "Cy", "email": "cy@example.com"}, {"Idempotency-Key": "k"}
        assert [caller.post("/energy/clients", body, headers=headers).status_code for _ in range(2)] == [201, 201]
        assert Client.objects.count() == 2

    def test_sign_in_and_refresh_are_there(self, anyone, make_account):
        make_account("ENERGY_APP", email="ada@example.com", password=make_password("secret words"))
        pair = anyone.post("/auth/login", {"email": "ada@example.com", "password": "secret words"}).json()
        assert set(anyone.post("/refresh", {"refreshToken": pair["refreshToken"]}).json()) == set(pair)


class TestContract:
    @pytest.fixture(autouse=True)
    def _of_this_kind(self, use):
        use("contract")

    def test_a_list_is_searched_and_sorted_and_not_filtered(self, caller, clients):
        page = caller.get("/energy/clients?sort=-name&city=Ulm&createdAtFrom=2199-01-01T00:00:00Z").json()
        assert ([row["id"] for row in page["items"]], page["total"]) == (["cli_2", "cli_1"], 2)
        assert [row["id"] for row in caller.get("/energy/clients?q=ada").json()["items"]] == ["cli_1"]
        assert "version" not in page["items"][0]

    def test_no_row_has_a_version_and_no_change_asks_for_one(self, caller, clients):
        path = "/energy/clients/cli_1"
        answer = caller.patch(path, {"city": "Bonn"}, headers={"If-Match": '"7"'})
        assert (answer.status_code, answer.json()["city"]) == (200, "Bonn")
        for each in (answer, caller.get(path)):
            assert "version" not in each.json()
            assert "ETag" not in each

    def test_a_key_is_honoured(self, caller):
        body, headers = {"name": "Cy", "email": "cy@example.com"}, {"Idempotency-Key": "k"}
        answers = [caller.post("/energy/clients", body, headers=headers) for _ in range(2)]
        assert answers[0].json() == answers[1].json()
        assert "version" not in answers[1].json()
        assert Client.objects.count() == 1


def test_a_strict_backend_refuses_unknown_parameters_and_no_unknown_row(use, caller, problem):
    use("strict")
    assert problem(caller.get("/energy/clients?city=Ulm"), 400)
    assert problem(caller.get("/me?x=1"), 400)
    assert caller.get("/energy/clients?cursor=&limit=5&q=ada&sort=name").status_code == 200
    assert problem(caller.get("/energy/clients/none"), 404)


@pytest.mark.parametrize("kind", KINDS)
def test_the_sandbox_tells_about_itself_and_its_schema_has_the_profiles_calls(use, anyone, kind):
    use(kind)
    assert anyone.get("/healthz").status_code == 200
    assert anyone.get("/docs?x=1").status_code == 200
    found = schema()
    validate_schema(found)
    assert set(anyone.get("/openapi.json").json()["paths"]) == set(found["paths"])
    assert {path_shape(path): set(methods) for path, methods in found["paths"].items()} == {
        path: {method.lower() for method in call.methods} for path, call in PROFILES[kind].calls.items()
    }
    listed = found["paths"]["/energy/clients"]["get"]["parameters"]
    assert {each["name"] for each in listed} == set(PROFILES[kind].calls["/energy/clients"].parameters)


def test_the_schema_has_the_fields_of_the_profile(use):
    use("document")
    found = schema()
    schemas = found["components"]["schemas"]
    assert set(schemas["Profile"]["properties"]) == {"permissions"}
    assert set(schemas["ClientPage"]["properties"]) == {"items", "hasNext", "nextCursor"}
    assert set(schemas["Client"]["properties"]) == {"id", "name", "email", "phone", "city"}
    assert set(schemas["Client"]["required"]) <= set(schemas["Client"]["properties"])
    assert "Station" not in schemas
    assert "'name': 'Idempotency-Key'" not in str(found["paths"])
    assert "ETag" not in str(found["paths"])

"""The sandbox as a backend that has less: in its answers and in the schema that it publishes."""

import pytest
from django.urls import get_resolver
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerView

from sandbox_api.profiles import PROFILES, path_shape

KINDS = ("document", "contract", "strict")


@pytest.fixture
def use(configure):
    """Make the sandbox one of this profile."""

    def choose(name):
        configure(profile=PROFILES[name], honour_idempotency_key=PROFILES[name].honours_idempotency_key)

    return choose


@pytest.mark.parametrize("kind", KINDS)
def test_calls_outside_the_table_are_not_there(use, anybody, problem, kind):
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
        for method in (anybody.get, anybody.post):
            assert problem(method(path), absent), path
    answer = anybody.patch("/me", {"name": "X"})
    assert problem(answer, 403 if kind == "strict" else 405)
    assert kind == "strict" or "PATCH" not in answer["Allow"]


def test_document_has_no_search_and_no_versions(use, anybody, problem):
    use("document")
    body, key = {"name": "Cy", "email": "cy@example.com"}, {"Idempotency-Key": "k"}
    first, created = (anybody.post("/energy/clients", body, headers=key) for _ in range(2))
    assert (created.status_code, set(created.json())) == (201, {"id", "name", "email", "phone", "city"})
    page = anybody.get("/energy/clients?limit=1&q=nobody&sort=nothing&city=Ulm&createdAtFrom=x").json()
    assert set(page) == {"items", "hasNext", "nextCursor"}
    assert page["items"] == [created.json()], "the key was not honoured"
    assert anybody.get(f"/energy/clients?cursor={page['nextCursor']}").json()["items"] == [first.json()]
    path = f"/energy/clients/{created.json()['id']}"
    assert anybody.get(path).json() == created.json()
    assert "ETag" not in anybody.get(path)
    assert problem(anybody.patch(path, {"name": "X"}), 405)
    assert anybody.delete(path, headers={"If-Match": '"7"'}).status_code == 204
    assert set(anybody.get("/me").json()) == {"permissions"}


def test_a_backend_of_the_contract_honours_keys_and_searches_and_sorts_and_filters_nothing(use, anybody):
    use("contract")
    for name in ("Ada", "Bea"):
        body = {"name": name, "email": f"{name}@example.com", "city": "Bern"}
        answers = [anybody.post("/energy/clients", body, headers={"Idempotency-Key": name}) for _ in range(2)]
        assert answers[0].json() == answers[1].json()
    page = anybody.get("/energy/clients?sort=-name&city=Ulm&createdAtFrom=2199-01-01T00:00:00Z").json()
    assert ([row["name"] for row in page["items"]], page["total"]) == (["Bea", "Ada"], 2)
    assert anybody.get("/energy/clients?q=ada").json()["total"] == 1
    path = f"/energy/clients/{page['items'][0]['id']}"
    changed = anybody.patch(path, {"city": "Bonn"}, headers={"If-Match": '"7"'})
    assert (changed.status_code, changed.json()["city"], "version" in changed.json()) == (200, "Bonn", False)


def test_a_strict_backend_refuses_unknown_parameters_and_no_unknown_row(use, anybody, problem):
    use("strict")
    assert problem(anybody.get("/energy/clients?city=Ulm"), 400)
    assert problem(anybody.get("/me?x=1"), 400)
    assert anybody.get("/energy/clients?cursor=&limit=5&q=ada&sort=name").status_code == 200
    assert problem(anybody.get("/energy/clients/none"), 404)


@pytest.mark.parametrize("kind", KINDS)
def test_the_sandbox_tells_about_itself_and_its_schema_has_the_profiles_calls(use, anyone, kind):
    use(kind)
    assert anyone.get("/healthz").status_code == 200
    assert anyone.get("/docs?x=1").status_code == 200
    found = SchemaGenerator().get_schema(public=True)
    validate_schema(found)
    assert set(anyone.get("/openapi.json").json()["paths"]) == set(found["paths"])
    assert {path_shape(path): set(methods) for path, methods in found["paths"].items()} == {
        path: {method.lower() for method in call.methods} for path, call in PROFILES[kind].calls.items()
    }
    listed = found["paths"]["/energy/clients"]["get"]["parameters"]
    assert {each["name"] for each in listed} == set(PROFILES[kind].calls["/energy/clients"].parameters)

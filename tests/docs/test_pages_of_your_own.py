"""The functions and classes of "Pages of your own" are views that work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from portal.query import REGISTRY
from portal.services.service_imports import import_services
from portal.testing import Backend, SignedIn, row_ids
from portal_pages import Column, resource_pages
from tests.docs.test_blocks import Stage, run_python, with_declared_orders
from tests.support.doc_blocks import blocks_of
from tests.support.harness import ROOT

#: Those of the clients' template.
COLUMNS = {name: Column(name) for name in ("name", "email", "phone", "city", "created_at")}
PAGE = ROOT / "docs" / "reference" / "pages.md"


@pytest.fixture
def declared(backend: Backend, signed_in: SignedIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the page declares, and the request of a form that was sent."""
    # What the page declares is gone with the test; the services that it imports stay.
    import_services()
    monkeypatch.setattr(REGISTRY, "queries", dict(REGISTRY.queries))
    monkeypatch.setattr(REGISTRY, "mutations", dict(REGISTRY.mutations))
    stage = Stage(backend=backend, signed_in=signed_in, folder=tmp_path)
    known: dict[str, Any] = with_declared_orders(stage)
    for block in blocks_of(PAGE):
        if block.language == "python":
            run_python(block, known)
    return known


def test_functions_write_a_row_and_lead_to_a_page(backend: Backend, declared: dict[str, Any]) -> None:
    backend.answers("PATCH", "/energy/clients/cli_1", json={"id": "cli_1", "city": "Oslo"})
    response = declared["move_to_oslo"](declared["request"], "cli_1")
    assert (response.status_code, response["Location"]) == (303, "/en/energy/clients/cli_1")
    assert backend.calls_to("/energy/clients/cli_1", method="PATCH")[0].body == {"city": "Oslo"}
    response = declared["new_client"](declared["request"])
    assert (response.status_code, response["Location"]) == (303, "/en/energy/clients")


def test_a_subclass_reads_with_one_more_parameter(
    backend: Backend, signed_in: SignedIn, declared: dict[str, Any]
) -> None:
    backend.lists("/energy/clients", [{"id": "cli_1"}])
    view = declared["OsloView"](
        hook=declared["ClientQueries"].use_get_clients_query, columns=COLUMNS, template="energy/clients/list.html"
    )
    page, _export = resource_pages("energy/clients", name="client", title="Oslo", list=view)
    request = signed_in("ENERGY_APP").get("/en/energy/clients").wsgi_request
    assert row_ids(page.callback(request)) == ["cli_1"]
    assert backend.calls_to("/energy/clients")[-1].query["city"] == "Oslo"

"""All services are imported; one that can't be is named with the line of its mistake."""

from __future__ import annotations

import pytest

from portal.errors import UsageError
from portal.query import REGISTRY, query_endpoint
from portal.services.energy.clients import ClientMutations
from portal.services.service_imports import import_services, place_of
from portal.web.pages import DeleteView, resource_pages

DELETE = DeleteView(mutation=ClientMutations.use_delete_client_mutation)


def test_every_service_can_be_imported() -> None:
    assert import_services() == []
    assert {"energy", "finance", "operations", "iam", "user"} <= {key.partition(".")[0] for key in REGISTRY.queries}


def test_the_place_of_a_wrong_declaration_is_the_line_that_makes_it() -> None:
    with pytest.raises(UsageError) as raised:
        query_endpoint(data=dict, url="//elsewhere")
    line = raised.traceback[0].lineno + 1
    assert place_of(raised.value) == f"tests/portal/services/test_service_imports.py:{line}"


def test_the_place_of_a_wrong_page_or_form_is_the_line_that_makes_it() -> None:
    with pytest.raises(UsageError) as raised:
        resource_pages("energy/clients", name="client", title="Clients", delete=DELETE)
    line = raised.traceback[0].lineno + 1
    assert place_of(raised.value) == f"tests/portal/services/test_service_imports.py:{line}"


def test_the_place_of_a_syntax_error_is_its_line() -> None:
    with pytest.raises(SyntaxError) as raised:
        compile("x = 1\nx = = 2\n", "/elsewhere/service.py", "exec")
    assert place_of(raised.value) == "/elsewhere/service.py:2"

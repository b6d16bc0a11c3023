"""All services are imported; one that can't be is named with the line of its mistake."""

import sys
from pathlib import Path

import pytest

import portal.services
from portal.errors import UsageError
from portal.query import REGISTRY, query_endpoint
from portal.services.energy.clients import ClientMutations
from portal.services.service_imports import import_services, place_of
from portal_pages import DeleteView, resource_pages

DELETE = DeleteView(mutation=ClientMutations.use_delete_client_mutation)


def test_every_service_can_be_imported() -> None:
    assert import_services() == []
    assert {"energy", "finance", "operations", "iam", "user"} <= {key.partition(".")[0] for key in REGISTRY.queries}


DECLARED = """
from portal.query import QueryGroup, Row, query_endpoint


class MadeQueries(QueryGroup):
    use_get_made_query = query_endpoint(data=Row, url="/made")


undeclared
"""


def test_failed_module_leaves_nothing_declared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "made"
    folder.mkdir()
    for name, text in (("__init__", ""), ("first", DECLARED), ("second", "from portal.services.made import first")):
        (folder / f"{name}.py").write_text(text)
    monkeypatch.setattr(portal.services, "__path__", [*portal.services.__path__, str(tmp_path)])
    failed = import_services()
    sys.modules.pop("portal.services.made")
    assert [each.module for each in failed] == ["portal.services.made.first", "portal.services.made.second"]
    assert [key for key in REGISTRY.queries if "made" in key] == []


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

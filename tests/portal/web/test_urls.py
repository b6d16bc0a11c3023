"""Pages are found by their paths, each in its own language; what was found is remembered and is nobody's to change."""

import pytest
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, resolve
from django.utils import translation

from portal.web.urls import portal_patterns


def page(request: HttpRequest, row_id: str = "") -> HttpResponse:
    return HttpResponse(row_id)


PAGES: list[URLPattern] = [path("things", page, name="things"), path("things/<str:row_id>", page, name="thing")]


@pytest.fixture(autouse=True)
def _pages(settings) -> None:
    settings.ROOT_URLCONF = type("Urls", (), {"urlpatterns": portal_patterns(pages=PAGES)})
    translation.activate("en")


def test_page_is_found_again_with_its_own_values() -> None:
    resolve("/en/things/a").kwargs["row_id"] = "changed by another request"
    found = [resolve(each) for each in ("/en/things/a", "/en/things/b", "/en/things", "/en/things/a")]
    assert [(each.url_name, each.kwargs) for each in found] == [
        ("thing", {"row_id": "a"}),
        ("thing", {"row_id": "b"}),
        ("things", {}),
        ("thing", {"row_id": "a"}),
    ]


def test_a_path_of_another_language_is_not_found_however_often_it_was_found_in_its_own() -> None:
    found = []
    for language in ("en", "de", "en", "tr"):
        with translation.override(language):
            found.append(resolve("/en/things").func is page)
    assert found == [True, False, True, False]

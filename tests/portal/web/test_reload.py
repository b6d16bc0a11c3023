"""Which requests count as a reload by the user. `tests/browser/test_reload.py` tries what browsers really send."""

from typing import Any

import pytest
from django.test import RequestFactory

from portal.web.query_client import NO_RELOAD, mark_of, user_reloads

LIST = "/en/energy/clients"
ITSELF = f"http://testserver{LIST}?q=a"


def asked(*, method="GET", is_page=True, cache_control="", address=LIST, left="", referer="") -> bool:
    headers = {"accept": "text/html" if is_page else "application/json", "cache-control": cache_control}
    request = RequestFactory().generic(method, address, headers=headers | {"host": "testserver", "referer": referer})
    request.COOKIES["left_page"] = left
    return user_reloads(request)


@pytest.mark.parametrize("cache_control", ["no-store, max-age=0", " No-Cache "])
def test_cache_control_tells_a_reload_of_pages_alone(cache_control: str) -> None:
    assert asked(cache_control=cache_control)
    assert asked(cache_control=cache_control, method="HEAD")
    assert asked(cache_control=cache_control, left=mark_of("/en/energy/other"))
    assert not asked(cache_control=cache_control, method="POST")
    assert not asked(cache_control=cache_control, is_page=False)
    assert not asked(cache_control=cache_control, left=NO_RELOAD)


@pytest.mark.parametrize(
    ("request_", "reloads"),
    [
        *(({"cache_control": value}, False) for value in ("", "max-age=60", "no-store")),
        # Leaving a page for itself is a reload.
        ({"left": mark_of(LIST)}, True),
        ({"left": mark_of(LIST), "address": f"{LIST}?q=a"}, False),
        ({"left": mark_of(LIST), "is_page": False}, False),
        ({"left": mark_of(LIST), "method": "POST"}, False),
        # A page's link to itself is one, unless another page was left: if the user goes back to a page that its own
        # link had loaded, the browser sends the same Referer again.
        *(
            ({"referer": referer, "address": f"{LIST}?q=a"}, reloads)
            for referer, reloads in (
                (ITSELF, True),
                (f"http://testserver{LIST}", False),
                (f"http://other.test{LIST}?q=a", False),
                ("http://[", False),
            )
        ),
        ({"referer": ITSELF, "address": f"{LIST}?q=a", "left": mark_of("/en/energy")}, False),
    ],
)
def test_leaving_a_page_for_itself_is_a_reload(request_: dict[str, Any], reloads: bool) -> None:
    assert asked(**request_) is reloads


@pytest.mark.parametrize(("secure", "name"), [(False, "left_page"), (True, "__Host-left_page")])
def test_over_https_a_cookie_of_another_host_does_not_count(settings: Any, secure: bool, name: str) -> None:
    settings.CSRF_COOKIE_SECURE = secure
    for sent in ("left_page", "__Host-left_page"):
        request = RequestFactory().get(LIST, headers={"cache-control": "max-age=0", "cookie": f"{sent}={NO_RELOAD}"})
        assert user_reloads(request) is (sent != name)

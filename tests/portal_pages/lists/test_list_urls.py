"""Addresses of lists."""

import pytest
from django.test import RequestFactory
from django.utils import translation

from portal_pages.lists.list_pages import list_url, list_url_before


def test_a_list_with_filters_has_an_address_in_the_language_of_the_page() -> None:
    with translation.override("de"):
        assert list_url("chargers", status=["faulted", "unavailable"], stationId=None) == (
            "/de/energy/chargers?status=faulted&status=unavailable"
        )


@pytest.mark.parametrize(
    ("referer", "address"),
    [
        ("http://testserver/en/energy/clients?q=berlin&pages=3", "/en/energy/clients?q=berlin&pages=3"),
        ("http://testserver/en/energy/clients", "/en/energy/clients"),
        ("http://testserver/en/energy/clients?q=%22%3E%0d%0aX:1", "/en/energy/clients?q=%22%3E%0D%0AX%3A1"),
        ("http://testserver/en/energy/stations?q=berlin", "/en/energy/clients"),
        ("http://evil.test/en/energy/clients?q=berlin", "/en/energy/clients"),
        ("//evil.test/?q=1", "/en/energy/clients"),
        ("http://[", "/en/energy/clients"),
        (f"http://testserver/en/energy/clients?q={'x' * 5000}", "/en/energy/clients"),
    ],
)
def test_the_way_back_is_the_list_as_it_was_and_never_another_site(referer: str, address: str) -> None:
    request = RequestFactory().get("/en/energy/clients/cli_1", HTTP_REFERER=referer)
    with translation.override("en"):
        assert list_url_before(request, "clients") == address
        # After a create it is the address of the page that has it.
        request = RequestFactory().get("/en/energy/clients/cli_1", {"listUrl": referer})
        assert list_url_before(request, "clients") == address

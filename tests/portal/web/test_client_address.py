"""Which address is the browser's."""

from __future__ import annotations

import dataclasses

import pytest
from django.conf import settings
from django.test import RequestFactory, override_settings

from portal.web.request import client_address


@pytest.mark.parametrize(
    ("behind_proxy", "forwarded", "address"),
    [
        (False, "203.0.113.9", "192.0.2.1"),
        (True, "203.0.113.9", "203.0.113.9"),
        (True, "198.51.100.7, 203.0.113.9", "203.0.113.9"),
    ],
)
def test_only_what_the_proxy_itself_has_written_counts(behind_proxy: bool, forwarded: str, address: str) -> None:
    request = RequestFactory().get("/", REMOTE_ADDR="192.0.2.1", headers={"x-forwarded-for": forwarded})
    with override_settings(PORTAL=dataclasses.replace(settings.PORTAL, behind_proxy=behind_proxy)):
        assert client_address(request) == address

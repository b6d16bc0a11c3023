"""Links out of the page."""

from __future__ import annotations

import pytest

from portal.web.templating.environment import mailto


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("ada@example.com", "mailto:ada@example.com"),
        ("a@b.test?bcc=eve@b.test&body=x", "mailto:a@b.test%3Fbcc%3Deve@b.test%26body%3Dx"),
    ],
)
def test_an_address_adds_no_fields_to_a_letter(address: str, url: str) -> None:
    assert f'href="{url}"' in mailto(address)

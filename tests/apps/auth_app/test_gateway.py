"""The gateway's form, the names of browsers, and the names of views."""

from __future__ import annotations

import pytest
from django.urls import resolve

from apps.auth_app.devices import device_name
from apps.auth_app.forms import LoginForm

FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"
EDGE = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/139.0 Safari/537.36 Edg/139.0"
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 Version/18.0 Mobile/15E148 Safari/604.1"
)


def test_a_password_is_taken_as_it_was_typed_and_never_written_back() -> None:
    form = LoginForm({"email": " ada@example.com ", "password": "  spaces count  "})
    assert form.is_valid()
    assert form.cleaned_data == form.cleaned_data | {"email": "ada@example.com", "password": "  spaces count  "}
    assert "spaces count" not in str(form)
    assert "ada@example.com" in str(form)
    assert set(LoginForm({}).errors) == {"email", "password"}


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (FIREFOX, "Firefox, Windows"),
        (EDGE, "Edge, macOS"),
        (SAFARI, "Safari, iPhone"),
        ("curl/8.0", "curl/8.0"),
        ("", "Unknown browser"),
        ("portal", "Unknown browser"),
        ("x" * 500, "x" * 80),
    ],
)
def test_browsers_are_named_as_people_do(user_agent: str, name: str) -> None:
    assert device_name(user_agent) == name


@pytest.mark.parametrize(
    ("path", "view"),
    [
        ("/en/login", "apps.auth_app.views.login.login"),
        ("/en/signed-out", "apps.auth_app.views.signed_out.signed_out"),
        ("/en/login/oidc", "apps.auth_app.views.oidc.start"),
        ("/login/oidc/callback", "apps.auth_app.views.oidc.callback"),
    ],
)
def test_a_path_names_the_view_that_serves_it(path: str, view: str) -> None:
    """`explain_route` prints this name."""
    served = resolve(path, urlconf="apps.auth_app.urls").func
    assert f"{served.__module__}.{served.__qualname__}" == view

"""Whatever a server hands over is answered: no exception, no 5xx, and nobody is led away."""

from io import BytesIO
from urllib.parse import urlsplit

import jwt
import pytest
from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpResponse
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from portal.api.tokens import TokenStore
from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN, VAR_SELECTED_LOCALE
from portal.edge.middleware import ProxyMiddleware
from portal.web.cookies.token_cookies import read_tokens
from tests.portal.edge.hostile_targets import FRAGMENTS
from tests.support.whole_runs import number_of

ENERGY = jwt.encode({"sub": "u-1", "permissions": ["ENERGY_APP"]}, "a secret of at least thirty-two bytes")
HEADERS = (
    "ACCEPT ACCEPT_LANGUAGE SEC_FETCH_MODE X_REQUESTED_WITH HX_REQUEST HX_CURRENT_URL X_PATHNAME HOST X_FORWARDED_HOST"
    " X_ORIGINAL_URL X_REWRITE_URL"
)
#: WSGI hands over octets as latin-1 text.
OCTETS = st.binary(max_size=40).map(lambda octets: octets.decode("latin-1"))
PIECES = st.sampled_from(FRAGMENTS).map(lambda piece: piece.encode("utf-8", "surrogatepass").decode("latin-1"))
GIVEN = (
    *(f"{VAR_ACCESS_TOKEN}={token}" for token in (ENERGY, "garbage")),
    *(f"{VAR_PERMITTED_PLATFORMS}={value}" for value in ("%5B%22ENERGY%22%5D", "[" * 1024)),
    *(f"{VAR_REFRESH_TOKEN}=r", f"{VAR_SELECTED_LOCALE}=de"),
)
COOKIES = st.lists(st.sampled_from(GIVEN) | OCTETS, max_size=4).map("; ".join)
PAGES = st.sampled_from(["/en", "/en/energy", "/de/energy/clients", "/en/finance", "/EN/energy", "/en/login", "/x"])
ENVIRONS = st.fixed_dictionaries(
    {
        "REQUEST_METHOD": st.sampled_from(["GET", "HEAD", "POST", "OPTIONS", "get", "BREW", ""]),
        "PATH_INFO": OCTETS | PAGES | st.lists(PIECES | OCTETS, max_size=8).map(lambda pieces: "/" + "".join(pieces)),
        "QUERY_STRING": OCTETS | st.lists(PIECES, max_size=8).map("".join),
        "HTTP_COOKIE": COOKIES,
    },
    optional={
        f"HTTP_{name}": OCTETS | PIECES | st.sampled_from(["true", "*/*", "navigate", "evil.test"])
        for name in HEADERS.split()
    },
)
SERVER = {"SERVER_NAME": "localhost", "SERVER_PORT": "8001", "wsgi.url_scheme": "http", "wsgi.input": BytesIO()}


@pytest.fixture(scope="module")
def proxy() -> ProxyMiddleware:
    return ProxyMiddleware(lambda _: HttpResponse("the view"))


@hypothesis_settings(max_examples=number_of(400))
@given(environ=ENVIRONS)
def test_any_request_is_answered_and_stays(proxy: ProxyMiddleware, environ: dict[str, object]) -> None:
    request = WSGIRequest(SERVER | environ)
    request.request_id = "r-1"
    request.token_store = TokenStore(read_tokens(request.COOKIES))
    response = proxy(request)
    assert response.status_code < 500
    for name in ("Location", "HX-Redirect"):
        if name in response:
            parts = urlsplit(response[name])
            assert f"{parts.scheme}://{parts.netloc}" in {"://", *settings.PORTAL.origins.values()}
            assert parts.path.startswith("/")
            assert not parts.path.startswith("//")

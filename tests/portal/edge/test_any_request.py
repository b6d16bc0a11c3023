"""Whatever a server hands over is answered: no exception, no 5xx, and nobody is led away."""

from __future__ import annotations

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
from portal.edge.request_context import RequestContext
from portal.edge.rules import cached_forward, decide
from portal.web.cookies.token_cookies import read_tokens
from tests.portal.edge.hostile_targets import FRAGMENTS
from tests.support.whole_runs import number_of

ENERGY = jwt.encode({"sub": "u-1", "permissions": ["ENERGY_APP"]}, "a secret of at least thirty-two bytes")
HEADERS = (
    "HTTP_ACCEPT",
    "HTTP_ACCEPT_LANGUAGE",
    "HTTP_SEC_FETCH_MODE",
    "HTTP_X_REQUESTED_WITH",
    "HTTP_HX_REQUEST",
    "HTTP_HX_CURRENT_URL",
    "HTTP_X_PATHNAME",
    "HTTP_HOST",
    "HTTP_X_FORWARDED_HOST",
    "HTTP_X_ORIGINAL_URL",
    "HTTP_X_REWRITE_URL",
)
NOW = 1_800_000_000.0
#: WSGI hands over octets as latin-1 text.
OCTETS = st.binary(max_size=40).map(lambda octets: octets.decode("latin-1"))
PIECES = st.sampled_from(FRAGMENTS).map(lambda piece: piece.encode("utf-8", "surrogatepass").decode("latin-1"))
COOKIES = st.lists(
    st.sampled_from(
        [
            f"{VAR_ACCESS_TOKEN}={ENERGY}",
            f"{VAR_ACCESS_TOKEN}=garbage",
            f"{VAR_REFRESH_TOKEN}=r",
            f"{VAR_PERMITTED_PLATFORMS}=%5B%22ENERGY%22%5D",
            f"{VAR_PERMITTED_PLATFORMS}=" + "[" * 1024,
            f"{VAR_SELECTED_LOCALE}=de",
        ]
    )
    | OCTETS,
    max_size=4,
).map("; ".join)
ENVIRONS = st.fixed_dictionaries(
    {
        "REQUEST_METHOD": st.sampled_from(["GET", "HEAD", "POST", "OPTIONS", "get", "BREW", ""]),
        "PATH_INFO": OCTETS | st.lists(PIECES | OCTETS, max_size=8).map(lambda pieces: "/" + "".join(pieces)),
        "QUERY_STRING": OCTETS | st.lists(PIECES, max_size=8).map("".join),
        "HTTP_COOKIE": COOKIES,
    },
    optional=dict.fromkeys(HEADERS, OCTETS | PIECES | st.sampled_from(["true", "*/*", "navigate", "evil.test"])),
)


def make_request(environ: dict[str, object]) -> WSGIRequest:
    server = {"SERVER_NAME": "localhost", "SERVER_PORT": "8001", "wsgi.url_scheme": "http", "wsgi.input": BytesIO()}
    request = WSGIRequest(server | environ)
    request.request_id = "r-1"
    request.token_store = TokenStore(read_tokens(request.COOKIES))
    return request


@pytest.fixture(scope="module")
def proxy() -> ProxyMiddleware:
    return ProxyMiddleware(lambda _: HttpResponse("the view"))


PAGES = st.sampled_from(
    ["/en", "/en/", "/en/energy", "/de/energy/clients", "/en/finance", "/EN/energy", "/en/login", "/x"]
)


@hypothesis_settings(max_examples=number_of(600))
@given(environ=ENVIRONS, page=PAGES | st.none())
def test_any_request_is_answered_without_an_error_and_stays_and_what_is_kept_forwards_what_the_table_forwards(
    proxy: ProxyMiddleware, environ: dict[str, object], page: str | None
) -> None:
    request = make_request(environ | ({} if page is None else {"PATH_INFO": page}))
    tokens = request.token_store.incoming
    access = proxy.token_cache.check(tokens.access, now=NOW)
    context = RequestContext.from_request(request, tokens=tokens, site=proxy.site, access=access)
    kept = cached_forward(
        context.site, context.path, context.method, context.access, context.refreshable, context.platforms_cookie
    )
    assert kept in {None, decide(context)}
    response = proxy(request)
    assert response.status_code < 500
    for name in ("Location", "HX-Redirect"):
        if name in response:
            parts = urlsplit(response[name])
            assert f"{parts.scheme}://{parts.netloc}" in {"://", *settings.PORTAL.origins.values()}
            assert parts.path.startswith("/")
            assert not parts.path.startswith("//")

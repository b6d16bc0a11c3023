"""`PortalRequest`: Django's request with the attributes that the two outer middlewares and the pages add to it."""

import unicodedata
from collections.abc import Callable, Iterable
from ipaddress import ip_address
from itertools import filterfalse
from typing import Any, Final, TypeVar

from django.http import HttpRequest
from django.utils.translation import get_language

from portal.api import TokenStore, is_named
from portal.config.current import portal_config
from portal.config.locales import DEFAULT_LOCALE, LOCALES
from portal.config.platforms import TPlatform
from portal.edge import EdgeUser, Site, is_navigation
from portal.process import Deadline
from portal.query import Endpoint, QueryClient, offers, optional_names

TRow = TypeVar("TRow")


def client_address(request: HttpRequest) -> str:
    """The peer's address. Behind a trusted proxy: the rightmost `X-Forwarded-For`, which the proxy has written."""
    if portal_config().behind_proxy:
        forwarded: str = request.META.get("HTTP_X_FORWARDED_FOR", "")
        return forwarded.rpartition(",")[2].strip()
    address: str = request.META.get("REMOTE_ADDR", "")
    return address


def is_loopback(address: str) -> bool:
    """Whether an address is this machine's own. False for a text that is no address."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


#: Every response has this header (contract, section 6).
REQUEST_ID_RESPONSE_HEADER: Final = "X-Request-Id"
#: The methods that change nothing.
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
#: A view's attribute: the call without which there is no such page.
SHOWS: Final = "_portal_shows"
#: What is searched for is cut at this length, characters.
MAX_SEARCH_CHARS: Final = 200
#: Unicode categories: control characters, surrogates, separators of lines and of paragraphs.
_CONTROLS: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})


class PortalRequest(HttpRequest):
    """The type of every request that a view gets.

    A type only: Django makes its own requests, and the attributes are set one by one.
    """

    #: Set by `ApiAccessMiddleware`, on every request.
    request_id: str
    token_store: TokenStore
    api_deadline: Deadline
    #: `time.perf_counter` at its arrival.
    began: float
    query_client: QueryClient
    #: The platforms that `/me` gave in this request; None if `/me` was not read, or failed.
    me_platforms: tuple[TPlatform, ...] | None

    #: Set by `ProxyMiddleware`, on every request that it forwards.
    edge_user: EdgeUser
    edge_site: Site

    #: Set by `platform_page`: name of the URL of the list that the page is, or that holds its record. Its failure page
    #: leads there. Empty for none.
    list_name: str


def is_signed_in(request: HttpRequest) -> bool:
    """Whether the user is signed in; False for a request that the edge did not forward."""
    edge_user: EdgeUser | None = getattr(request, "edge_user", None)
    return edge_user is not None and edge_user.signed_in


def active_locale() -> str:
    """The language of this request, one of :mod:`portal.config.locales`."""
    language = get_language()
    return language if language in LOCALES else DEFAULT_LOCALE


def is_page_navigation(request: HttpRequest) -> bool:
    """Whether a browser shows the response as a page (contract, section 5)."""
    return is_navigation(request.META)


def search_text(raw: str) -> str:
    """What is searched for: one line without control characters, of at most 200 characters."""
    return " ".join("".join(each if each.isprintable() else " " for each in raw).split())[:MAX_SEARCH_CHARS]


def folded(text: str) -> str:
    """The text without capitals and marks: as it is sorted, and compared with what is searched for."""
    if text.isascii():
        return text.lower()
    letters = unicodedata.normalize("NFKD", text.casefold().replace("\N{LATIN SMALL LETTER DOTLESS I}", "i"))
    return "".join(filterfalse(unicodedata.combining, letters))


def best_first(rows: Iterable[TRow], text: str) -> list[TRow]:
    """Rows whose name begins with the text, then those with a word that begins so, then the others, each as given."""
    wanted = f" {folded(text)}"

    def rank(row: TRow) -> int:
        place = f" {folded(str(row))}".find(wanted)
        return 2 if place < 0 else min(place, 1)

    return sorted(rows, key=rank)


def has_controls(text: str) -> bool:
    """Whether a text has control characters or line breaks."""
    return any(unicodedata.category(character) in _CONTROLS for character in text)


def view_is_absent(view: Callable[..., Any], params: Iterable[str] = ()) -> bool:
    """Return whether the backend does not offer what the page of a view shows: then nothing may lead there.

    :param params: of the address; those that the page's list does not declare say nothing.
    """
    shown: Endpoint[Any] | None = getattr(view, SHOWS, None)
    if shown is None:
        return False
    names = {name.partition("?")[2]: name for name in optional_names(shown) if "?" in name}
    return not offers(shown) or not all(is_named(names[each]) for each in params if each in names)

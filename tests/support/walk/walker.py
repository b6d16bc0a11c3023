"""Follows what the pages offer, breadth first, and notes what came."""

import re
from collections import Counter, deque
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

import requests

from portal.config.locales import LOCALES
from tests.support.html_forms import Form, Page
from tests.support.http_browser import PAGE_HEADERS, TIMEOUT_S, HttpBrowser
from tests.support.open_pages import table_of
from tests.support.walk.portals import ADMIN, OTHER_ADMINS, PASSWORD, Portal
from tests.support.whole_runs import IS_WHOLE

#: The only word that a walker types into a search.
WORD = "an"
#: A link with more parameters is not followed.
MOST_PARAMETERS = 2 if IS_WHOLE else 1
#: As htmx asks for a part.
PART_HEADERS = {"Accept": "*/*", "Sec-Fetch-Mode": "cors", "HX-Request": "true"}
#: Forms after which others are not there any more, and those that end the sign-in: they are sent last, in this order.
_LATER = (
    *("/take", "/start", "/complete", "/pay", "/reopen", "/cancel", "/invoices/<row:row_id>/undo"),
    *("/delete", "/<str:sign_in_id>/revoke", "/revoke-others"),
)
_LAST = ("/revoke", "logout")

#: By the shape of a form: the pages that have it, with the form as it was there.
Forms = dict[tuple[object, ...], dict[str, Form]]
#: Method, address and status of the answer.
Call = tuple[str, str, int]


@dataclass(frozen=True, kw_only=True)
class Visit:
    """One page that was opened, or one form that was sent.

    :param offered_by: the page with the link or the form; empty for what was typed.
    :param calls: to the backend, with the statuses of the answers.
    :param again: the calls of a second view right after it, without those that the place of a page in the cache of
        this one user explains; None if there was none.
    """

    method: str
    url: str
    route: str
    status: int
    last_url: str
    html: str
    offered_by: str
    calls: tuple[Call, ...]
    again: tuple[Call, ...] | None = None
    sent: tuple[tuple[str, str], ...] = ()

    @cached_property
    def page(self) -> Page:
        """The page, as it was read."""
        return Page(self.html)

    def __str__(self) -> str:
        sent = f" with {dict(self.sent)}" if self.sent else ""
        return f"{self.status} {self.method} {self.url}{sent} -> {self.last_url}, offered by {self.offered_by}"


@dataclass
class Walker:
    """One person on one portal.

    :ivar pages_of_a_shape: how many pages of one route are opened without and with each parameter.
    :ivar visits: in order.
    """

    portal: Portal
    browser: HttpBrowser
    pages_of_a_shape: int = 1
    visits: list[Visit] = field(default_factory=list)

    def sign_in(self) -> str:
        """Sign in; gives the address of the first page."""
        answer = self.browser.sign_in(self.portal.origins["auth_app"], email=ADMIN, password=PASSWORD)
        assert answer.status_code == 303, answer.text
        return urljoin(answer.url, answer.headers["Location"])

    def sign_in_elsewhere(self) -> None:
        """Sign in with another browser."""
        with HttpBrowser() as other:
            other.sign_in(self.portal.origins["auth_app"], email=ADMIN, password=PASSWORD)

    def walk(self) -> None:
        """Go everywhere from the first page on; then send the forms, each with what its page has in it by then."""
        self.sign_in_elsewhere()
        start = self.sign_in()
        opened: Counter[tuple[object, ...]] = Counter()
        seen: set[str] = set()
        forms: Forms = {}
        waiting = deque([(start, "", False)])
        while waiting:
            url, offered_by, is_part = waiting.popleft()
            shape = (is_part, *self._shape(url))
            if url in seen or opened[shape] >= self.pages_of_a_shape or len(shape[-1]) > MOST_PARAMETERS:
                continue
            seen.add(url)
            opened[shape] += 1
            visit = self.open(url, offered_by=offered_by, is_part=is_part)
            page, at = visit.page, visit.last_url
            waiting += [(each, at, False) for each in self._own(at, page.links)]
            waiting += [(each, at, True) for each in self._own(at, page.parts)]
            waiting += [
                (e, at, False) for form in page.forms if form.method == "get" for e in self._own(at, _searches(form))
            ]
            self._find_forms(visit, forms)
        done: set[tuple[object, ...]] = set()
        while forms.keys() - done:
            shape = min(forms.keys() - done, key=_place)
            done.add(shape)
            self._send(forms, shape)

    def _find_forms(self, visit: Visit, forms: Forms) -> None:
        """Add the forms of a page that send something, by their shapes, with the pages that have them."""
        for form in visit.page.forms if visit.status < HTTPStatus.INTERNAL_SERVER_ERROR else ():
            if form.method == "post":
                forms.setdefault(self._form_shape(visit.last_url, form), {}).setdefault(visit.last_url, form)

    def open(self, url: str, *, offered_by: str = "", is_part: bool = False) -> Visit:
        """Open a page, and once more."""
        before = len(self.portal.backend.answers)
        answer = self._get(url, is_part=is_part)
        calls = self.portal.backend.answers[before:]
        again = None
        # An export reads all rows each time.
        if answer.status_code == 200 and not urlsplit(url).path.endswith("/export"):
            between = len(self.portal.backend.answers)
            self._get(url, is_part=is_part)
            again = self._without_shared_places(calls, self.portal.backend.answers[between:], url, is_part=is_part)
        return self._note(answer, "GET", url, offered_by=offered_by, calls=tuple(calls), again=again)

    def _without_shared_places(
        self, first: list[Call], second: list[Call], url: str, *, is_part: bool
    ) -> tuple[Call, ...]:
        """The calls of a second view, without those that some other user's second view does not make again.

        Two queries of one user may share a place in the cache: then each replaces what the other has stored. Which two
        do differs from user to user, and no two users have to have the same ones (ADR 4). A record's page has six such
        queries, so now and then a call has a shared place for two users, hardly ever for three.
        """
        repeated = set(first) & set(second)
        for_everybody = repeated
        for email in OTHER_ADMINS:
            if for_everybody:
                for_everybody = for_everybody & self._repeated_for(email, url, is_part=is_part)
        return tuple(call for call in second if call not in repeated - for_everybody)

    def _repeated_for(self, email: str, url: str, *, is_part: bool) -> set[Call]:
        """The calls that both of two views of this administrator make."""
        with HttpBrowser() as other:
            other.sign_in(self.portal.origins["auth_app"], email=email, password=PASSWORD)
            views = []
            for _ in range(2):
                before = len(self.portal.backend.answers)
                answer = self._get(url, is_part=is_part, browser=other)
                assert answer.status_code == HTTPStatus.OK, f"{url} is not another administrator's: {answer.url}"
                views.append(set(self.portal.backend.answers[before:]))
        return views[0] & views[1]

    def _get(self, url: str, *, is_part: bool, browser: HttpBrowser | None = None) -> requests.Response:
        headers = PART_HEADERS if is_part else PAGE_HEADERS
        return (browser or self.browser).http.get(url, headers=headers, timeout=TIMEOUT_S)

    def _send(self, forms: Forms, shape: tuple[object, ...]) -> None:
        """Send a form as its page has it now, filled in. What was sent before may have taken it away."""
        route = str(shape[1])
        if "/sign-ins/" in route:
            self.sign_in_elsewhere()
        for at, as_shown in forms[shape].items():
            page = self._get(at, is_part=False)
            if urlsplit(page.url).path.endswith("/login"):
                self.sign_in()
                page = self._get(at, is_part=False)
            if page.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
                self._note(page, "GET", at, offered_by=at, calls=())
                continue
            found = [form for form in Page(page.text).forms if self._form_shape(page.url, form) == shape]
            # A message is shown once.
            found += [as_shown] if route.endswith(("/undo", "/restore")) else []
            if not found:
                continue
            url = urljoin(page.url, found[0].action or page.url)
            sent = found[0].filled() + found[0].buttons[:1]
            if route.endswith("accounts/<row:row_id>/edit"):
                sent = [pair for pair in sent if pair != ("permissions", "FINANCE_APP")]
            elif route.endswith("/edit"):
                sent = [(name, f"{value} 2" if name in {"name", "title"} else value) for name, value in sent]
            before = len(self.portal.backend.answers)
            answer = self.browser.http.post(url, data=sent, headers=PAGE_HEADERS, timeout=TIMEOUT_S)
            calls = self.portal.backend.answers[before:]
            shown = tuple((name, value) for name, value in sent if name != "csrfmiddlewaretoken")
            visit = self._note(answer, "POST", url, offered_by=page.url, calls=tuple(calls), sent=shown)
            self._find_forms(visit, forms)
            return

    def _note(self, answer: requests.Response, method: str, url: str, **more: object) -> Visit:
        is_html = answer.headers.get("Content-Type", "").startswith("text/html")
        visit = Visit(
            method=method,
            url=url,
            route=self.route_of(url),
            status=answer.status_code,
            last_url=answer.url,
            html=answer.text if is_html else "",
            **more,
        )
        self.visits.append(visit)
        return visit

    def route_of(self, url: str) -> str:
        """The route of an address, as the URL table of its app has it, with the app's name before it."""
        app = self.portal.app_at(url)
        assert app is not None, f"{url} is none of the apps'"
        path = re.sub(rf"^/({'|'.join(LOCALES)})(?=/|$)", "", urlsplit(url).path).strip("/")
        for route in table_of(app):
            if re.fullmatch(re.sub(r"<.*?>", "[^/]+", route), path) and (path == route or "<" in route):
                return f"{app}: {route}"
        return f"{app}: {path}"

    def _shape(self, url: str) -> tuple[object, ...]:
        names = {name for name, value in parse_qsl(urlsplit(url).query) if value}
        return self.route_of(url), frozenset(names)

    def _form_shape(self, at: str, form: Form) -> tuple[object, ...]:
        url = urljoin(at, form.action or at)
        return (form.method, self.route_of(url), frozenset(each.name for each in form.fields))

    def _own(self, at: str, addresses: list[str]) -> list[str]:
        found = (urljoin(at, each).partition("#")[0] for each in addresses)
        return [each for each in found if self.portal.app_at(each)]


def _place(shape: tuple[object, ...]) -> tuple[int, str]:
    """When a form is sent."""
    route = str(shape[1])
    later = next((number for number, end in enumerate(_LATER, 1) if route.endswith(end)), 0)
    return later or (len(_LATER) + 1 if route.endswith(_LAST) else 0), str(shape)


def _searches(form: Form) -> list[str]:
    """The addresses of a form that searches: with each of its fields filled in alone."""
    found = []
    for each in form.fields:
        value = WORD
        if each.kind in {"checkbox", "radio"}:
            value = each.value
        elif each.kind == "select":
            value = (each.options or [""])[-1]
        elif each.kind == "date":
            value = "2026-01-02"
        if each.kind != "hidden":
            found.append(f"{form.action}?{urlencode({each.name: value})}")
    return found or [form.action]

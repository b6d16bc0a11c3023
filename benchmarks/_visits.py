"""What the users of a topology do: pages of three platforms, static files, forms. And which of their writes arrived."""

from __future__ import annotations

import http.client
import json
import random
import re
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from benchmarks._front_door import Doors, Tab, Visitor
from tests.support.http_browser import forms_in

if TYPE_CHECKING:
    from collections.abc import Iterable

PAGES = [
    ("energy", "/en/energy"),
    ("energy", "/en/energy/clients"),
    ("energy", "/en/energy/clients?q=an"),
    ("energy", "/en/energy/stations"),
    ("energy", "/en/energy/sessions"),
    ("operations", "/en/operations"),
    ("operations", "/en/operations/work-orders"),
    ("finance", "/en/finance"),
    ("finance", "/en/finance/invoices"),
    ("auth_app", "/en/profile"),
]
#: Address of a form, the field that is told apart by its text, and the others.
FORMS = [
    ("energy", "/en/energy/clients/new", "name", {"email": "load@example.com"}),
    ("operations", "/en/operations/work-orders/new", "title", {"priority": "low"}),
]
#: The backend's lists of what the forms make.
LISTS = [("/energy/clients", "name"), ("/operations/work-orders", "title")]
WEIGHTS = {"page": 60, "static": 25, "state": 10, "form": 5}
_STATIC = re.compile(r'(?:href|src)="(/static/[^"]+)"')


@dataclass
class Writes:
    """What users have sent, by the text that tells it apart.

    :ivar confirmed: those that were answered as done.
    :ivar unknown: those that were sent, and not answered so.
    """

    mark: str
    confirmed: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def check(self, backend_port: int, email: str) -> tuple[int, int, int]:
        """How many of the confirmed writes the backend lacks, how many writes it has twice, how many it has."""
        found = Counter(_texts_of(backend_port, email, self.mark))
        lost = sum(found[text] == 0 for text in self.confirmed)
        doubled = sum(number > 1 for number in found.values())
        return lost, doubled, found.total()


@dataclass
class Crowd:
    """Signed-in users who visit pages at a rate, each at most one at a time.

    :param rate: requests a second of all together.
    :param writing: whether they send forms.
    """

    doors: Doors
    visitors: list[Visitor]
    rate: float
    writing: bool = True
    began: float = field(default_factory=time.monotonic)
    stop: threading.Event = field(default_factory=threading.Event)
    writes: Writes = field(default_factory=lambda: Writes(mark=f"load{random.randrange(10**9)}"))
    _threads: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        """Let all of them begin, one after another within one round."""
        self.began = time.monotonic()
        for number, visitor in enumerate(self.visitors):
            thread = threading.Thread(target=self._visit, args=(visitor, number), daemon=True)
            self._threads.append(thread)
            thread.start()

    def end(self) -> None:
        """Let each finish what it is at."""
        self.stop.set()
        for thread in self._threads:
            thread.join(60)

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self.began

    def _visit(self, visitor: Visitor, number: int) -> None:
        tab, dice = Tab(self.doors), random.Random(number)
        period = len(self.visitors) / self.rate
        due = self.began + period * number / len(self.visitors)
        static: set[tuple[str, str]] = set()
        kinds, weights = list(WEIGHTS), list(WEIGHTS.values())
        while not self.stop.wait(max(0.0, due - time.monotonic())):
            # Who had to wait does not ask for all that was missed.
            due = max(due + period, time.monotonic() - 1)
            kind = dice.choices(kinds, weights)[0]
            if kind == "form" and self.writing:
                self._send_form(visitor, tab, dice)
                due += period
            elif kind == "static" and static:
                visitor.ask(tab, *dice.choice(sorted(static)), began=self.began, accept="*/*")
            elif kind == "state":
                app = dice.choice(PAGES)[0]
                path = dice.choice(("/sign-in-state", "/en/essentials"))
                visitor.ask(tab, app, path, began=self.began, accept="application/json, text/html")
            else:
                app, path = dice.choice(PAGES)
                page = visitor.ask(tab, app, path, began=self.began)
                if page is not None and not static:
                    static = {(app, file) for file in _STATIC.findall(page.body)}
        tab.close()

    def _send_form(self, visitor: Visitor, tab: Tab, dice: random.Random) -> None:
        app, path, name, others = dice.choice(FORMS)
        page = visitor.ask(tab, app, path, began=self.began)
        given = [values for action, values in forms_in(page.body) if action.endswith(path)] if page else []
        if not given:
            return
        text = f"{self.writes.mark} {dice.randrange(10**12)}"
        form = {**given[0], **others, name: text}
        answer = visitor.ask(tab, app, path, began=self.began, form=form)
        done = answer is not None and answer.status == http.client.SEE_OTHER and "/login" not in answer.location
        (self.writes.confirmed if done else self.writes.unknown).append(text)


def signed_in(doors: Doors, emails: Iterable[str]) -> list[Visitor]:
    """These users, signed in one after another."""
    visitors = [Visitor(email) for email in emails]
    tab = Tab(doors)
    for visitor in visitors:
        visitor.sign_in(tab)
    tab.close()
    return visitors


def _texts_of(backend_port: int, email: str, mark: str) -> Iterable[str]:
    """The texts with this mark in the backend's lists, asked for without the portal."""
    connection = http.client.HTTPConnection("127.0.0.1", backend_port, timeout=60)

    def ask(method: str, path: str, body: object = None, **headers: str) -> dict[str, Any]:
        content = json.dumps(body) if body is not None else None
        connection.request(method, path, content, {"Content-Type": "application/json", **headers})
        with connection.getresponse() as response:
            found: dict[str, Any] = json.loads(response.read())
            assert response.status == http.client.OK, found
            return found

    tokens = ask("POST", "/auth/login", {"email": email, "password": "demo"})
    bearer = {"Authorization": f"Bearer {tokens['accessToken']}"}
    for path, name in LISTS:
        cursor = ""
        while True:
            page = ask("GET", f"{path}?limit=100&q={mark}{cursor}", **bearer)
            yield from (item[name] for item in page["items"])
            if not page["hasNext"]:
                break
            cursor = f"&cursor={quote(str(page['nextCursor']), safe='')}"
    connection.close()

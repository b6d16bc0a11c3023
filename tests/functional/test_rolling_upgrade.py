"""Two releases at the same time on one store: this one, and a later one with other formats and another row.

The later one is a copy of this checkout whose formats are changed as docs/adr/0049-two-releases-on-one-store.md allows
it. Users go to and fro between the two, as behind a proxy while a release is rolled out.
"""

import contextlib
import re
import secrets
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from benchmarks.refresh.token_recorder import TokenRecorder, recording_tokens
from portal.config.cookies import VAR_REFRESH_TOKEN
from portal_dev.local_servers.local_stack import BACKEND
from portal_dev.local_servers.server_group import Server
from tests.support.checkout_copy import copy_of_checkout, in_copy
from tests.support.harness import ROOT, RunningStack, running_stack
from tests.support.http_browser import HttpBrowser
from tests.support.ports import free_port, free_port_base
from tests.support.redis_server import running_redis

#: Rotations that each browser lives through at least.
ROTATIONS = 2
ENOUGH_S, LIMIT_S = 4, 60
#: Between two turns of a browser; seconds. Without it, three browsers fill both processors until the tokens have ended.
PAUSE_S = 0.4
ACCOUNTS = ("all@example.com", "all@example.com", "energy@example.com")
#: File in the copy to what is changed in it: pages have another format and layout, records of writes another number,
#: what both releases need has more members, and the phone of a client is a number.
LATER = {
    "portal/query/cache/pages.py": (
        ("PAGE_FORMAT: Final = 3", "PAGE_FORMAT: Final = 4"),
        ("_STORED_MEMBERS: Final = 5", "_STORED_MEMBERS: Final = 6"),
        ("self.at, self.cursor, self.body]", 'self.at, self.cursor, self.body, "later"]'),
        ("at, cursor, body = value", "at, cursor, body, _ = value"),
    ),
    "portal/query/cache/write_records.py": (
        ("WRITE_RECORD_FORMAT: Final = 3", "WRITE_RECORD_FORMAT: Final = 4"),
        ("value[:1] != [WRITE_RECORD_FORMAT]", "value[:1] not in ([3], [WRITE_RECORD_FORMAT])"),
    ),
    "portal/query/sign_in_caches.py": (
        ("set(key, cache.stored(),", 'set(key, [*cache.stored(), "later"],'),
        ("add(key, cache.stored(),", 'add(key, [*cache.stored(), "later"],'),
    ),
    "portal/api/refresh/token_record.py": (("to_builtins(record)", 'to_builtins(record) | {"by": "later"}'),),
    "portal/services/energy/clients.py": (
        ("    phone: str | None = None\n", '    phone: int | None = None\n    region: str = "nowhere"\n'),
    ),
}


@dataclass(kw_only=True)
class Releases:
    """Both releases of the energy app, and what was seen of them.

    :param energy: their addresses, the earlier one first.
    """

    stack: RunningStack
    energy: tuple[str, str]
    seen: TokenRecorder
    statuses: Counter[int] = field(default_factory=Counter)
    troubles: list[str] = field(default_factory=list)


def later_release(folder: Path) -> Path:
    copy = copy_of_checkout(folder)
    for name, changes in LATER.items():
        path = copy / "packages" / name
        text = path.read_text()
        for before, after in changes:
            assert text.count(before) == 1, f"{name}: {before}"
            text = text.replace(before, after)
        path.write_text(text)
    return copy


@contextlib.contextmanager
def both_releases(folder: Path, **variables: str | None) -> Iterator[Releases]:
    base, port = free_port_base(), free_port()
    with recording_tokens(base + 100) as seen:
        variables |= {
            "APP_PUBLIC_API_BASE_URL": seen.url,
            "SANDBOX_ACCESS_TOKEN_LIFETIME_S": "2",
            # A backend that forgives nothing: a token's second use is theft.
            "SANDBOX_HONOUR_IDEMPOTENCY_KEY": "off",
        }
        without = ("operations", "finance")
        with running_stack(folder, port_base=base, without=without, development=True, **variables) as stack:
            assert stack.local.ports()[BACKEND] == base + 100
            copy = later_release(folder / "later")
            options = ("runserver", "--noreload", "--end-with-parent", str(port))
            command = (str(copy / "manage.py"), "--app", "energy", *options)
            environment = in_copy(copy, **{**stack.local.environment, "PORT_BASE": str(base)})
            stack.group.start([Server(name="later", command=command, port=port, environment=environment)])
            stack.group.wait_until_ready()
            yield Releases(stack=stack, energy=(stack.url("energy"), f"http://localhost:{port}"), seen=seen)


def browse(releases: Releases, account: str, *, until: float, ready: threading.Barrier) -> None:
    """One person's browser: pages of both releases in turn; now and then a client is created, or deleted."""
    with HttpBrowser() as browser:
        answer = browser.sign_in(releases.stack.url("auth_app"), email=account)
        assert answer.status_code == 303, answer.status_code
        ready.wait(timeout=LIMIT_S)
        end, tokens, turn = time.monotonic() + LIMIT_S, set[str | None](), 0
        while (time.monotonic() < until or len(tokens) <= ROTATIONS) and time.monotonic() < end:
            here, there = releases.energy if turn % 2 else releases.energy[::-1]
            page = browser.get(f"{here}/en/energy/clients")
            releases.statuses[page.status_code] += 1
            tokens.add(browser.cookie(VAR_REFRESH_TOKEN))
            if "data-row-id" not in page.text or "/login" in page.url:
                releases.troubles.append(f"{page.url}: {page.status_code}")
            if turn % 4 < 2:
                write(releases, browser, here=here, there=there)
            turn += 1
            time.sleep(PAUSE_S)
        if len(tokens) <= ROTATIONS:
            releases.troubles.append(f"only {len(tokens)} refresh tokens in {LIMIT_S} s")


def write(releases: Releases, browser: HttpBrowser, *, here: str, there: str) -> None:
    """Create a client in one release, look for it in both, and delete it in the other one."""
    mark = secrets.token_hex(4)
    name = f"Rolling {mark}"
    form = browser.get(f"{here}/en/energy/clients/new")
    created = browser.submit(form, "/new", name=name, email=f"rolling.{mark}@example.com", phone="+47 22 33 44 55")
    for release in (there, here):
        page = browser.get(f"{release}/en/energy/clients")
        if name not in page.text:
            releases.troubles.append(f"{release} does not show what was created in {here}")
        releases.statuses[page.status_code] += 1
    rows = dict(re.findall(r'data-row-id="([^"]+)"(.*?)(?=data-row-id|</table>)', page.text, re.DOTALL))
    (row_id,) = [row_id for row_id, cells in rows.items() if name in cells]
    if created.url != f"{here}/en/energy/clients/{row_id}":
        releases.troubles.append(f"{created.url} is not the page of what was created in {here}")
    row = browser.get(f"{there}/en/energy/clients/{row_id}")
    deleted = browser.submit(row, "/delete")
    for release in (here, there):
        page = browser.get(f"{release}/en/energy/clients?q={name.replace(' ', '+')}")
        if "data-row-id" in page.text:
            releases.troubles.append(f"{release} shows what was deleted in {there}")
        releases.statuses[page.status_code] += 1
    releases.statuses.update([form.status_code, created.status_code, row.status_code, deleted.status_code])


def check(releases: Releases) -> None:
    ready, until = threading.Barrier(len(ACCOUNTS)), time.monotonic() + ENOUGH_S
    with ThreadPoolExecutor(len(ACCOUNTS)) as pool:
        list(pool.map(partial(browse, releases, until=until, ready=ready), ACCOUNTS))
    assert releases.troubles == []
    assert set(releases.statuses) == {200}
    assert releases.seen.refreshes >= ROTATIONS * len(ACCOUNTS)
    assert set(releases.seen.submitted.values()) == {1}
    assert not releases.seen.refused
    log = releases.stack.log.read_text()
    assert "Traceback" not in log
    # The earlier release met a record of the later one, and said so; pages and tokens are no such thing.
    assert "a record of a write can't be read, its endpoint is fetched again" in log
    assert set(re.findall(r"store: (.*?) can't be read", log)) == {"a record of a write"}
    check_purges(releases)


def check_purges(releases: Releases) -> None:
    """A sign-out at the later release ends the sign-in at the earlier one, whatever that one has cached."""
    with HttpBrowser() as browser:
        browser.sign_in(releases.stack.url("auth_app"), email="all@example.com")
        pages = [browser.get(f"{release}/en/energy/clients") for release in releases.energy]
        kept = {cookie.name: cookie.value for cookie in browser.http.cookies if cookie.name.startswith("VAR_")}
        assert browser.submit(pages[1], "/logout", follow=False).status_code == 303
        browser.http.cookies.update(kept)
        answer = browser.get(f"{releases.energy[0]}/en/energy/clients", follow=False)
        assert (answer.status_code, answer.headers["Location"]) == (302, "/")


def patterns_of_the_page() -> list[re.Pattern[str]]:
    """The forms of keys that docs/reference/stored-formats.md names, in this release and the later one."""
    text = (ROOT / "docs/reference/stored-formats.md").read_text()
    tables = text[text.index("## Cached data") : text.index("## Files")]
    keys = [line.split("|")[2] for line in tables.splitlines() if line.startswith("| ")]
    names = [name for cell in keys for name in re.findall(r"`([^`]+)`", cell)]
    names = [name.replace("<space>", "<name>:<number>").replace(":3:", ":[34]:") for name in names]
    forms = [re.sub(r"<[^>]+>", "[^:]*", name) for name in names]
    return [re.compile(rf"portal:(queries|refresh):1:{form}") for form in forms]


def check_keys(keys: list[str]) -> None:
    patterns = patterns_of_the_page()
    assert [key for key in keys if not any(pattern.fullmatch(key) for pattern in patterns)] == []
    for part in (":3:", ":4:", ":record", ":log", "ns:", ":number", "generation:", ":sent", "sign-in:"):
        assert any(part in key for key in keys), part


def test_on_the_embedded_store_nobody_notices(tmp_path: Path) -> None:
    with both_releases(tmp_path) as releases:
        check(releases)
        keys = []
        for name in ("queries", "refresh"):
            with contextlib.closing(sqlite3.connect(tmp_path / "state" / "store" / f"{name}.sqlite3")) as connection:
                keys += [key for (key,) in connection.execute("SELECT key FROM entries")]
        check_keys(keys)


@pytest.mark.redis
def test_nor_on_redis(tmp_path: Path) -> None:
    with running_redis(tmp_path) as redis, both_releases(tmp_path, CACHE_URL=redis.url()) as releases:
        check(releases)
        with redis.client() as client:
            check_keys([key.decode() for key in client.scan_iter()])

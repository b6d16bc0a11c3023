"""The backend is stopped (SIGSTOP) for a while: where are its users 10 s after it is back?

20 browsers open 25 pages a second of one project with two workers of eight threads; access tokens live for 15 s, so
each is refreshed sooner or later while nobody answers. A browser waits for its page for 12 s at most, then asks again.
Where the backend honours the Idempotency-Key, every page must be 200 again and nobody signed out; where it does not,
whoever can't go on must be on the sign-in page, told why.

`./manage.py bench outage [--seconds 15 …] [--store embedded|redis] [--key honoured|unknown]`
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks._browsers import REFRESH, Answer, Connection, Jar
from benchmarks._weathers import UNKEYED
from benchmarks._witness import Witness
from benchmarks.storm import project, sign_in, start_redis
from portal_dev.local_servers.server_group import Server, ServerGroup
from tests.support.harness import clean_environment, prepare_sandbox
from tests.support.ports import free_port

USERS, PAGES_PER_S = 20, 25
ACCESS_LIFETIME_S = 15
PATIENCE_S = 12.0
BEFORE_S, AFTER_S = 5.0, 10.0
PATHS = ["/en/energy", "/en/energy/clients", "/en/energy/stations"]
REASON = "reason=refresh-lost"
EXPLAINED = "could not be renewed"


@dataclass
class User:
    """A browser with one tab.

    :param led: the sign-in page's address with the reason, once the user was led there.
    :param ended: responses that took the tokens without a reason.
    """

    jar: Jar = field(default_factory=Jar)
    statuses: Counter[int | None] = field(default_factory=Counter)
    led: str = ""
    ended: int = 0
    last: int | None = None

    def take(self, answer: Answer | None) -> None:
        self.last = answer.status if answer else None
        self.statuses[self.last] += 1
        if answer is None:
            return
        if answer.clears_tokens and REASON in answer.location:
            self.led = answer.location
        elif answer.clears_tokens:
            self.ended += 1
        self.jar.take(answer)


@dataclass(frozen=True)
class Outcome:
    """One line of the table: how many users are where, `AFTER_S` after the backend is back."""

    store: str
    honoured: bool
    seconds: float
    meanwhile: Counter[int | None]
    on_a_page: int
    told_why: int
    elsewhere: Counter[int | None]
    ended: int

    @property
    def sound(self) -> bool:
        return self.ended == 0 and self.on_a_page + (0 if self.honoured else self.told_why) == USERS


def run(*, store: str, honoured: bool, seconds: float, folder: Path) -> Outcome:
    """Stop the backend for so long, once."""
    ports = [free_port() for _ in range(3)]
    environment = clean_environment(
        DEBUG="on",
        SANDBOX_STATE_DIR=str(folder / "sandbox"),
        SANDBOX_HONOUR_IDEMPOTENCY_KEY="on" if honoured else "off",
        SANDBOX_ACCESS_TOKEN_LIFETIME_S=str(ACCESS_LIFETIME_S),
    )
    prepare_sandbox(environment)
    command = ("-m", "sandbox_api", "serve", "--end-with-parent", "--port", str(ports[0]), "--threads", "32")
    backend = Server(name="sandbox", command=command, port=ports[0], environment=environment)
    group = ServerGroup(log=folder / "servers.log")
    with contextlib.ExitStack() as stack:
        stack.callback(group.stop)
        redis = start_redis(folder, stack) if store == "redis" else None
        url = f"http://127.0.0.1:{ports[0]}"
        projects = [
            project(
                app,
                port=port,
                state=folder / "state",
                backend=url,
                cache_url=redis and redis.url(),
                more={"APP_PUBLIC_GATEWAY_APP_URL": f"http://localhost:{ports[2]}", **({} if honoured else UNKEYED)},
            )
            for app, port in zip(("energy", "auth_app"), ports[1:], strict=True)
        ]
        group.start([backend, *projects])
        group.wait_until_ready()
        users, stop = [User() for _ in range(USERS)], threading.Event()
        tabs = [threading.Thread(target=_browse, args=(user, ports[1], stop), daemon=True) for user in users]
        for user, tab in zip(users, tabs, strict=True):
            user.jar.put(sign_in(Witness(url=url)))
            tab.start()
            # Tokens end one after another, so some end at each moment of the outage.
            time.sleep(ACCESS_LIFETIME_S / USERS)
        time.sleep(BEFORE_S)
        meanwhile = _stopped(group.pid("sandbox"), seconds, users)
        time.sleep(AFTER_S)
        stop.set()
        for tab in tabs:
            tab.join(2 * PATIENCE_S)
        return _where(users, ports[1], store=store, honoured=honoured, seconds=seconds, meanwhile=meanwhile)


def _stopped(backend: int, seconds: float, users: list[User]) -> Counter[int | None]:
    """Stop the backend for so long; gives what the users' pages came to meanwhile."""
    for user in users:
        user.statuses.clear()
    os.killpg(backend, signal.SIGSTOP)
    try:
        time.sleep(seconds)
    finally:
        os.killpg(backend, signal.SIGCONT)
    return sum((user.statuses for user in users), Counter())


def _where(
    users: list[User], port: int, *, store: str, honoured: bool, seconds: float, meanwhile: Counter[int | None]
) -> Outcome:
    """Where the users are now."""
    # One more page for each, as if nothing had been.
    for user in users:
        if not user.led:
            user.take(_open(Connection(), port, random.choice(PATHS), user.jar))
    on_a_page = [user for user in users if not user.led and user.last == http.client.OK]
    told_why = [user for user in users if user.led and _is_told_why(user)]
    rest = [user for user in users if user not in on_a_page and user not in told_why]
    return Outcome(
        store=store,
        honoured=honoured,
        seconds=seconds,
        meanwhile=meanwhile,
        on_a_page=len(on_a_page),
        told_why=len(told_why),
        elsewhere=Counter(user.last for user in rest),
        ended=sum(user.ended for user in users),
    )


def _browse(user: User, port: int, stop: threading.Event) -> None:
    """Open pages until told to stop, or led to the sign-in page."""
    connection = Connection(timeout_s=PATIENCE_S)
    stop.wait(random.uniform(0, USERS / PAGES_PER_S))
    while not stop.is_set() and not user.led:
        started = time.monotonic()
        user.take(_open(connection, port, random.choice(PATHS), user.jar))
        stop.wait(max(0.0, USERS / PAGES_PER_S - (time.monotonic() - started)))
    connection.close()


def _open(connection: Connection, port: int, path: str, jar: Jar) -> Answer | None:
    return connection.ask(port, path, jar)


def _is_told_why(user: User) -> bool:
    """Whether the sign-in page is one, says why, and leads back; and the browser's tokens are gone."""
    address = urlsplit(user.led)
    page = Connection().ask(int(address.port or 0), f"{address.path}?{address.query}", user.jar)
    shown = page is not None and page.status == http.client.OK and EXPLAINED in page.body
    return shown and "next=" in address.query and not user.jar.token(REFRESH)


def table(outcomes: list[Outcome]) -> str:
    """The outcomes as lines."""
    heads = ("on a page", "told why", "elsewhere", "signed out", "200 meanwhile", "503", "none")
    lines = [f"{'':44}" + "".join(f"{head:>14}" for head in heads)]
    for outcome in outcomes:
        key = "key honoured" if outcome.honoured else "key unknown"
        name = f"{'ok  ' if outcome.sound else 'FAIL'} {outcome.store}, {key}, stopped {outcome.seconds:.0f} s"
        seen = outcome.meanwhile
        elsewhere = dict(outcome.elsewhere) or 0
        where = (outcome.on_a_page, outcome.told_why, elsewhere, outcome.ended)
        figures = (*where, seen[200], seen[503], seen[None])
        lines.append(f"{name:44}" + "".join(f"{figure!s:>14}" for figure in figures))
    return "\n".join(lines)


LEGEND = f"""
of {USERS} users, {AFTER_S:.0f} s after the backend is back · told why: on the sign-in page, which says why and leads
back · signed out: responses that took the tokens without saying why · meanwhile: answers while it was stopped; none:
not within {PATIENCE_S:.0f} s"""


def main() -> None:
    """`make outage`."""
    parser = argparse.ArgumentParser(prog="outage")
    parser.add_argument("--seconds", type=float, action="append", help="15, 30 and 60 where none is given")
    parser.add_argument("--store", choices=("embedded", "redis"), action="append")
    parser.add_argument("--key", choices=("honoured", "unknown"), action="append")
    options = parser.parse_args()
    outcomes = []
    for store in options.store or ("embedded", "redis"):
        for key in options.key or ("honoured", "unknown"):
            for seconds in options.seconds or (15.0, 30.0, 60.0):
                print(f"{store}, key {key}, {seconds:.0f} s …", file=sys.stderr, flush=True)
                with tempfile.TemporaryDirectory(prefix="outage-") as name:
                    made = run(store=store, honoured=key == "honoured", seconds=seconds, folder=Path(name))
                outcomes.append(made)
                print(table([made]), file=sys.stderr, flush=True)
    print(table(outcomes))
    print(LEGEND)
    if not all(outcome.sound for outcome in outcomes):
        sys.exit(1)


if __name__ == "__main__":
    main()

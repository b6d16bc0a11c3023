"""The backend is stopped (SIGSTOP) for a while: where are its users 10 s after it is back?

20 browsers open 25 pages a second of one project with two workers of eight threads; access tokens live for 15 s, so
each is refreshed sooner or later while nobody answers. A browser waits for its page for 12 s at most, then asks again.
Where the backend honours the Idempotency-Key, every page must be 200 again and nobody signed out; where it does not,
whoever can't go on must be on the sign-in page, told why.

`./manage.py bench outage [--seconds 15 …] [--store embedded redis] [--key honoured unknown]`
"""

from __future__ import annotations

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
from benchmarks._options import options_of, parser_of
from benchmarks._stores import stores_here
from benchmarks._targets import Targets
from benchmarks._weathers import UNKEYED
from benchmarks._witness import Witness
from benchmarks.storm import project, sign_in, start_redis
from portal_dev.local_servers.server_group import Server, ServerGroup
from tests.support.harness import clean_environment, prepare_sandbox
from tests.support.ports import free_port

USERS, PAGES_PER_S = 20, 25
PATIENCE_S = 12.0
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
    """One line of the table: how many users are where, a while after the backend is back."""

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


def run(*, store: str, honoured: bool, seconds: float, token_life_s: float, after_s: float, folder: Path) -> Outcome:
    """Stop the backend for so long, once.

    :param after_s: when the users are looked at, seconds after the backend is back.
    """
    ports = [free_port() for _ in range(3)]
    environment = clean_environment(
        DEBUG="on",
        SANDBOX_STATE_DIR=str(folder / "sandbox"),
        SANDBOX_HONOUR_IDEMPOTENCY_KEY="on" if honoured else "off",
        SANDBOX_ACCESS_TOKEN_LIFETIME_S=f"{token_life_s:.0f}",
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
            time.sleep(token_life_s / USERS)
        time.sleep(token_life_s / 3)
        meanwhile = _stopped(group.pid("sandbox"), seconds, users)
        time.sleep(after_s)
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
of {USERS} users, {{after}} s after the backend is back · told why: on the sign-in page, which says why and leads
back · signed out: responses that took the tokens without saying why · meanwhile: answers while it was stopped; none:
not within {PATIENCE_S:.0f} s"""


def main() -> None:
    """`make outage`."""
    parser = parser_of(__doc__)
    parser.add_argument("--seconds", type=float, nargs="+", default=[15, 30, 60], help="stopped for: 15 30 60")
    parser.add_argument("--store", choices=("embedded", "redis"), nargs="+", default=["embedded", "redis"])
    parser.add_argument("--key", choices=("honoured", "unknown"), nargs="+", default=["honoured", "unknown"])
    parser.add_argument("--token-life", type=float, default=15, help="of an access token, seconds: 15")
    parser.add_argument("--after", type=float, default=10, help="when users are looked at, s after it is back: 10")
    options = options_of(parser, seconds=[1], store=["redis"], key=["unknown"], token_life=3, after=2)
    outcomes = []
    for store in stores_here(options.store):
        for key in options.key:
            for seconds in options.seconds:
                print(f"{store}, key {key}, {seconds:.0f} s …", file=sys.stderr, flush=True)
                with tempfile.TemporaryDirectory(prefix="outage-") as name:
                    made = run(
                        store=store,
                        honoured=key == "honoured",
                        seconds=seconds,
                        token_life_s=options.token_life,
                        after_s=options.after,
                        folder=Path(name),
                    )
                outcomes.append(made)
                print(table([made]), file=sys.stderr, flush=True)
    print(table(outcomes))
    print(LEGEND.format(after=options.after))
    targets = Targets(smoke=options.smoke)
    unsound = sum(not outcome.sound for outcome in outcomes)
    targets.hold(f"users elsewhere than they should be, in {unsound} of {len(outcomes)} lines", "0", met=not unsound)
    targets.end()


if __name__ == "__main__":
    main()

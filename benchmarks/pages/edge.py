"""Costs of the edge: a table, all in one run.

The rows are one machine's figures; the targets are ratios and differences within the run. Each figure is the best of
many rounds, the cases taking turns, since all that disturbs a machine only ever adds.
"""

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import django
import jwt
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.test.utils import override_settings

from benchmarks.harness.default_project import EMPTY_PATH
from benchmarks.harness.in_process import environ_of, respond
from benchmarks.harness.measured import table
from benchmarks.harness.options import options_of, parser_of
from benchmarks.harness.servers import KEY, settings_of_production
from benchmarks.harness.targets import Targets
from portal.config.base_settings import project_settings
from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN, VAR_SELECTED_LOCALE

CALLS = 200
PROXY = "portal.edge.middleware.ProxyMiddleware"
HEADERS = {"Host": "localhost", "Accept": "text/html,application/xhtml+xml,*/*;q=0.8", "Sec-Fetch-Mode": "navigate"}
SECURITY_HEADERS = ("X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy", "Content-Security-Policy")


def main() -> None:
    """Print the table, and the targets with their results."""
    parser = parser_of(__doc__, writes=True)
    parser.add_argument("--rounds", type=int, default=60, help="of requests through the handler: 60")
    options = options_of(parser, rounds=1)
    with tempfile.TemporaryDirectory(prefix="portal-bench-") as folder:
        set_up(folder)
        targets = Targets(smoke=options.smoke)
        measure(options.rounds, targets)
    if options.write:
        targets.write("edge")
    targets.end()


def request_of(path: str, **headers: str) -> bytes:
    """Return the octets of a request."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in (HEADERS | headers).items())
    return f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode()


class Case:
    """One row: a handler and a request."""

    def __init__(self, name: str, handler: Any, status: int, path: str, **headers: str) -> None:
        self.name, self.handler = name, handler
        request = request_of(path, **headers)
        self.environ = environ_of(request)
        self.best = float("inf")
        # The response is the one that the row means, with every header that the shipped stack sets.
        head = respond(handler, request).partition(b"\r\n\r\n")[0].decode()
        if int(head.split()[1]) != status:
            raise AssertionError(f"{name}: {head}")
        if "stack" in name and (missing := [each for each in SECURITY_HEADERS if f"\n{each}: " not in head]):
            raise AssertionError(f"{name}: {missing} missing")

    def time(self) -> None:
        """Run one round."""

        def start_response(status: str, headers: list[tuple[str, str]]) -> None:
            pass

        start = time.perf_counter()
        for _ in range(CALLS):
            response = self.handler(self.environ.copy(), start_response)
            for _ in response:
                pass
            response.close()
        self.best = min(self.best, (time.perf_counter() - start) / CALLS * 1e6)


def cases() -> list[Case]:
    """Return the rows, each handler made with its own middleware."""

    def handler(middleware: list[str]) -> WSGIHandler:
        with override_settings(MIDDLEWARE=middleware):
            return WSGIHandler()

    shipped = list(settings.MIDDLEWARE)
    bare, stack = handler([]), handler(shipped)
    without_proxy = handler([name for name in shipped if name != PROXY])
    token = jwt.encode({"sub": "u-1", "permissions": ["ENERGY_APP"], "exp": time.time() + 3600}, KEY)
    signed_in = {"Cookie": f"{VAR_ACCESS_TOKEN}={token}; {VAR_REFRESH_TOKEN}=r; {VAR_SELECTED_LOCALE}=en"}
    german = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.8"}
    return [
        Case("Django's bare handler", bare, 200, EMPTY_PATH),
        Case("  the same, with a signed-in user's cookies", bare, 200, EMPTY_PATH, **signed_in),
        Case("shipped stack without the proxy", without_proxy, 200, EMPTY_PATH, **signed_in),
        Case("shipped stack: forwarded, known token", stack, 200, EMPTY_PATH, **signed_in),
        Case("shipped stack: locale redirect", stack, 307, EMPTY_PATH[3:], **german),
        Case("shipped stack: login redirect", stack, 302, EMPTY_PATH),
        Case("shipped stack: forbidden platform", stack, 302, "/en/finance", **signed_in),
    ]


def measure(rounds: int, targets: Targets) -> None:
    """Print the table of costs, and hold its targets."""
    rows = cases()
    for _ in range(rounds):
        for case in rows:
            case.time()
    bare = rows[0].best
    print(f"\n## Edge: one request through the handler, best of {rounds} rounds of {CALLS}\n")
    figures = ((case.name, f"{case.best:.1f}", f"{case.best / bare:.2f}") for case in rows)
    print(table(("", "µs", "of the bare handler"), figures), end="\n\n")
    _, _, without_proxy, forwarded, *redirects = rows
    added = forwarded.best - without_proxy.best
    targets.hold(f"the proxy adds {added:.1f} µs to a forwarded request with a known token", "under 10", met=added < 10)
    for case in redirects:
        ratio = case.best / bare
        result = f"{case.name.removeprefix('shipped stack: ')}: {ratio:.2f} times the bare handler"
        targets.hold(result, "at most 1.5", met=ratio <= 1.5)


def set_up(state: str) -> None:
    """Take the energy project's own settings, in an environment of this run, without its URLs."""
    for name in list(os.environ):
        if name.startswith("APP_") or name in {"CACHE_URL", "REFRESH_CACHE_URL", "PORT_BASE"}:
            del os.environ[name]
    os.environ.update(settings_of_production(state=Path(state), backend="http://127.0.0.1:9"))
    del os.environ["APP_JWT_KEY"]
    settings.configure(**project_settings("energy") | {"ROOT_URLCONF": "benchmarks.harness.default_project"})
    django.setup()


if __name__ == "__main__":
    main()

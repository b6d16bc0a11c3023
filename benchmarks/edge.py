"""What the edge costs: a table, all in one run.

The rows are one machine's figures; the targets are ratios and differences within the run. Each figure is the
best of many rounds, the cases taking turns, since what disturbs a machine only ever adds.
"""

from __future__ import annotations

import itertools
import os
import tempfile
import time
from io import BytesIO
from typing import TYPE_CHECKING, Any

import django
import jwt
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.test.utils import override_settings

from benchmarks._default_project import EMPTY_PATH
from benchmarks._measured import write
from benchmarks._options import options_of, parser_of
from benchmarks._rates import answer_to, drive
from benchmarks._servers import cores_for_server_and_load, wsgi_server
from benchmarks._targets import Targets
from portal.config.base_settings import project_settings
from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN, VAR_SELECTED_LOCALE

if TYPE_CHECKING:
    import argparse

CALLS = 200
PROXY = "portal.edge.middleware.ProxyMiddleware"
SECRET = "for-measuring-only-and-nothing-else-at-all"
SECURITY_HEADERS = {
    "X-Content-Type-Options",
    "X-Frame-Options",
    "Referrer-Policy",
    "Cross-Origin-Opener-Policy",
    "Content-Security-Policy",
}


def main() -> None:
    """Print both tables, and the targets with what came of them."""
    parser = parser_of(__doc__, writes=True)
    parser.add_argument("--rounds", type=int, default=60, help="of requests through the handler: 60")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each stretch of load: 0.5")
    parser.add_argument("--stretches", type=int, default=16, help="of load: 16")
    options = options_of(parser, rounds=1, seconds=0.1, stretches=1)
    with tempfile.TemporaryDirectory(prefix="portal-bench-") as folder:
        set_up(folder)
        targets = Targets(smoke=options.smoke)
        measure_handlers(options, targets)
        measure_servers(options, targets)
    if options.write:
        write("edge", targets.table())
    targets.end()


class Case:
    """One row: a handler and a request."""

    def __init__(self, name: str, handler: Any, status: int, path: str, **environ: str) -> None:
        self.name, self.handler, self.status = name, handler, status
        self.environ: dict[str, Any] = {
            "REQUEST_METHOD": "GET",
            "PATH_INFO": path,
            "QUERY_STRING": "",
            "SCRIPT_NAME": "",
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "8001",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "HTTP_HOST": "localhost:8001",
            "HTTP_ACCEPT": "text/html,application/xhtml+xml,*/*;q=0.8",
            "HTTP_SEC_FETCH_MODE": "navigate",
            "wsgi.url_scheme": "http",
            "wsgi.input": BytesIO(),
            **environ,
        }
        self.best = float("inf")
        self.headers: dict[str, str] = {}

    def check(self) -> None:
        """What is measured is what the row says, with every header that the shipped stack sets."""
        seen: dict[str, Any] = {}

        def start_response(status: str, headers: list[tuple[str, str]]) -> None:
            seen.update(status=int(status[:3]), headers=dict(headers))

        self._call(start_response)
        self.headers = seen["headers"]
        if seen["status"] != self.status:
            raise AssertionError(f"{self.name}: {seen['status']} {self.headers}")
        if "stack" in self.name and not set(self.headers) >= SECURITY_HEADERS:
            raise AssertionError(f"{self.name}: {SECURITY_HEADERS - set(self.headers)} missing")

    def time(self) -> None:
        """One round."""

        def start_response(status: str, headers: list[tuple[str, str]]) -> None:
            pass

        start = time.perf_counter()
        for _ in range(CALLS):
            self._call(start_response)
        self.best = min(self.best, (time.perf_counter() - start) / CALLS * 1e6)

    def _call(self, start_response: Any) -> None:
        response = self.handler(self.environ.copy(), start_response)
        for _ in response:
            pass
        response.close()


def cases() -> list[Case]:
    """The rows, each handler made with its own middleware."""

    def handler(middleware: list[str]) -> WSGIHandler:
        with override_settings(MIDDLEWARE=middleware):
            return WSGIHandler()

    shipped = list(settings.MIDDLEWARE)
    bare, stack = handler([]), handler(shipped)
    token = jwt.encode({"sub": "u-1", "permissions": ["ENERGY_APP"], "exp": time.time() + 3600}, SECRET)
    signed_in = {"HTTP_COOKIE": f"{VAR_ACCESS_TOKEN}={token}; {VAR_REFRESH_TOKEN}=r; {VAR_SELECTED_LOCALE}=en"}
    without_proxy = handler([name for name in shipped if name != PROXY])
    return [
        Case("Django's bare handler", bare, 200, EMPTY_PATH),
        Case("  the same, with a signed-in user's cookies", bare, 200, EMPTY_PATH, **signed_in),
        Case("shipped stack without the proxy", without_proxy, 200, EMPTY_PATH, **signed_in),
        Case("shipped stack: forwarded, known token", stack, 200, EMPTY_PATH, **signed_in),
        Case(
            "shipped stack: locale redirect", stack, 307, EMPTY_PATH[3:], HTTP_ACCEPT_LANGUAGE="de-AT,de;q=0.9,en;q=0.8"
        ),
        Case("shipped stack: login redirect", stack, 302, EMPTY_PATH),
        Case("shipped stack: forbidden platform", stack, 302, "/en/finance", **signed_in),
    ]


def measure_handlers(options: argparse.Namespace, targets: Targets) -> None:
    """The table of costs, and its two targets."""
    rows = cases()
    for case in rows:
        case.check()
    for _ in range(options.rounds):
        for case in rows:
            case.time()
    bare = rows[0].best
    print(f"\n## Edge: one request through the handler, best of {options.rounds} rounds of {CALLS}\n")
    print("| | µs | of the bare handler |\n|---|---|---|")
    for case in rows:
        print(f"| {case.name} | {case.best:.1f} | {case.best / bare:.2f} |")
    by_name = {case.name: case.best for case in rows}
    added = by_name["shipped stack: forwarded, known token"] - by_name["shipped stack without the proxy"]
    print()
    what = f"the proxy adds {added:.1f} µs to a forwarded request with a known token"
    targets.hold(what, "under 10", met=added < 10)
    for case in rows[-3:]:
        ratio = case.best / bare
        what = f"{case.name.removeprefix('shipped stack: ')}: {ratio:.2f} times the bare handler"
        targets.hold(what, "at most 1.5", met=ratio <= 1.5)


def measure_servers(options: argparse.Namespace, targets: Targets) -> None:
    """Requests a second on one core of granian: a redirect of ours against an empty view of anybody's."""
    core, others = cores_for_server_and_load(smoke=options.smoke)
    if core is not None:
        os.sched_setaffinity(0, others)
    with (
        wsgi_server("apps.energy.wsgi:application", core=core) as ours,
        wsgi_server("benchmarks._default_project:application", core=core) as default,
    ):
        head = "GET {} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nSec-Fetch-Mode: navigate\r\n\r\n"
        requests = {
            "empty view behind Django's default middlewares": (
                default,
                head.format("/en/energy/empty").encode(),
                b"200",
            ),
            "login redirect through the shipped stack": (ours, head.format("/en/energy/empty").encode(), b"302"),
            "locale redirect through the shipped stack": (ours, head.format("/energy/empty").encode(), b"307"),
        }
        best = dict.fromkeys(requests, 0.0)
        for server, request, status in requests.values():
            assert answer_to(server.port, request).split()[1] == status
        for _ in range(options.stretches):
            for name, (server, request, status) in requests.items():
                answers = drive(server.port, itertools.repeat(request), seconds=options.seconds, status=status)
                best[name] = max(best[name], answers.rate)
    base = next(iter(best.values()))
    print(f"\n## Edge: granian, one worker of 8 threads{' on one core' if core is not None else ''}\n")
    print("| | requests/s | of the empty view |\n|---|---|---|")
    for name, value in best.items():
        print(f"| {name} | {value:,.0f} | {value / base:.2f} |")
    print()
    for name in list(best)[1:]:
        targets.hold(f"{name}: {best[name] / base:.2f} times the rate", "over 1.5", met=best[name] / base > 1.5)


def set_up(state: str) -> None:
    """The energy project's own settings, in an environment of this run, without its URLs."""
    for name in [
        name
        for name in os.environ
        if name.startswith("APP_") or name in {"CACHE_URL", "REFRESH_CACHE_URL", "PORT_BASE"}
    ]:
        del os.environ[name]
    os.environ.update(
        APP_STATE_DIR=state,
        APP_PUBLIC_API_BASE_URL="http://127.0.0.1:9",
        APP_PUBLIC_GATEWAY_APP_URL="http://localhost:8000",
        SECRET_KEY=SECRET,
        ALLOWED_HOSTS="localhost",
        DEBUG="off",
    )
    settings.configure(**project_settings("energy") | {"ROOT_URLCONF": "benchmarks._default_project"})
    django.setup()


if __name__ == "__main__":
    main()

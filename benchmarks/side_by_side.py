"""What pages of the energy app take before a backend that answers after 200 ms, and before one that hangs.

The backend is a real server on this machine; backend and pages run in this process. First queries one after another and
side by side, and pages with nothing cached but whose the token is; then pages whose data are cached and past their
stale time, while the backend accepts calls and answers none. Medians, in milliseconds.

    ./manage.py bench side_by_side
"""

from __future__ import annotations

import http.server
import json
import logging
import os
import tempfile
import threading
import time
from http import HTTPStatus
from statistics import median
from typing import TYPE_CHECKING, Any, ClassVar, Final

import django
from django.test import Client

from benchmarks._measured import write
from benchmarks._options import options_of, parser_of
from benchmarks._targets import Targets
from benchmarks._unknown_calls import UnknownCallError
from portal.api import TokenPair, TokenStore, api_session
from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal.process import Deadline
from portal.query import create_query_client, use_queries
from portal.query.process_state import process_runtime
from portal.services.energy.chargers import ChargerQueries
from portal.services.energy.clients import ClientQueries
from portal.services.energy.meters import MeterQueries
from portal.services.energy.sessions import ChargingSessionQueries
from portal.services.energy.stations import StationQueries
from portal.testing.sign_ins import SignIn, new_account, new_sign_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from portal.query import QueryClient


ANSWERS_AFTER_S: Final = 0.2
#: Past the stale time of 5 minutes, within the 15 of a page.
STALE_S: Final = 400.0
TARGETS_MS: Final = {
    "five queries, side by side": 350,
    "overview: profile, summary (404) and five lists": 350,
    "backend hung, data cached and stale: slowest of four pages": 1000,
}
QUERIES: Final[tuple[Any, ...]] = (
    ClientQueries.use_get_clients_query,
    StationQueries.use_get_stations_query,
    ChargerQueries.use_get_chargers_query,
    ChargingSessionQueries.use_get_charging_sessions_query,
    MeterQueries.use_get_meters_query,
)


LIST: Final = {"items": [{"id": "a1"}], "hasNext": False, "nextCursor": None, "total": 41}
#: What the backend answers by path; None: it has no such path.
FOUND: Final[Mapping[str, Any]] = {
    "/me": {"id": "ada", "name": "Ada", "permissions": ["ENERGY_APP"]},
    "/energy/summary": None,
    "/energy/state": {"chargersByStatus": {"available": 40, "faulted": 1}, "metersByStatus": {"online": 41}},
    "/energy/clients/counts": {"city": {"Oslo": 41}},
    "/energy/stations/counts": {"status": {"active": 41}},
    **{f"/energy/{name}": LIST for name in ("clients", "stations", "chargers", "sessions", "meters")},
}


class Backend(http.server.BaseHTTPRequestHandler):
    """Answers after a while; or not at all, while `hangs`."""

    protocol_version = "HTTP/1.1"
    unknown: ClassVar[dict[str, None]] = {}
    hangs = threading.Event()
    answers = threading.Event()

    def do_GET(self) -> None:
        time.sleep(ANSWERS_AFTER_S)
        if self.hangs.is_set():
            self.answers.wait()
        path = self.path.partition("?")[0]
        if path not in FOUND:
            self.unknown[f"GET {path}"] = None
        body = json.dumps(FOUND.get(path)).encode()
        self.send_response(200 if FOUND.get(path) else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: the table is what is read."""


class Server(http.server.ThreadingHTTPServer):
    """Many connections at once."""

    daemon_threads = True
    request_queue_size = 128


def main() -> None:
    """Print the table, and the targets with what came of them."""
    parser = parser_of(__doc__, writes=True)
    parser.add_argument("--rounds", type=int, default=7, help="of each line: 7")
    options = options_of(parser, rounds=1)
    server = Server(("127.0.0.1", 0), Backend)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "apps.energy.settings",
            "APP_PUBLIC_API_BASE_URL": f"http://127.0.0.1:{server.server_address[1]}",
            "APP_STATE_DIR": folder,
            "DEBUG": "on",
        }
        django.setup()
        logging.disable(logging.CRITICAL)
        figures = _measure(options.rounds)
    server.shutdown()
    if Backend.unknown:
        raise UnknownCallError(*Backend.unknown)
    print(f"\n## Side by side, and a backend that hangs ({ANSWERS_AFTER_S * 1000:.0f} ms for each call)\n")
    print("| | ms |\n|---|---|")
    for name, milliseconds in figures.items():
        print(f"| {name} | {milliseconds:,.0f} |")
    print()
    targets = Targets(smoke=options.smoke)
    for name, target in TARGETS_MS.items():
        targets.hold(f"{name}: {figures[name]:,.0f} ms", f"under {target}", met=figures[name] < target)
    if options.write:
        write("side_by_side", targets.table())
    targets.end()


def _measure(rounds: int) -> dict[str, float]:
    clear = process_runtime().cache.clear
    browser, client = _browser(), _client_of_each_request()
    for read in QUERIES:  # connections are open, and whose the token is is known
        read(client())
    assert browser.get("/en/energy").status_code == HTTPStatus.OK
    figures = {
        "five queries, one after another": _median(
            lambda: [read(client()) for read in QUERIES], before=clear, rounds=rounds
        ),
        "five queries, side by side": _median(
            lambda: use_queries(client(), [read.spec() for read in QUERIES]), before=clear, rounds=rounds
        ),
        "list page: profile and list": _median(lambda: browser.get("/en/energy/clients"), before=clear, rounds=rounds),
        "overview: profile, summary (404) and five lists": _median(
            lambda: browser.get("/en/energy"), before=clear, rounds=rounds
        ),
    }
    pages = ("/en/energy/clients", "/en/energy/stations")
    for page in pages:
        assert browser.get(page).status_code == HTTPStatus.OK
    # Requests take the present time from here: it moves on for all that is cached, and not for the tokens' own ends.
    defaults: Any = create_query_client.__kwdefaults__
    defaults["clock"] = lambda: time.time() + STALE_S
    Backend.hangs.set()
    hung = []
    for page in pages * 2:
        began = time.perf_counter()
        response = browser.get(page)
        hung.append((time.perf_counter() - began) * 1000)
        assert response.status_code == HTTPStatus.OK
        assert b"a1" in response.content
    figures["backend hung, data cached and stale: slowest of four pages"] = max(hung)
    Backend.answers.set()
    return figures


def _median(run: Callable[[], object], *, before: Callable[[], object], rounds: int) -> float:
    """Of several rounds, ms."""
    took = []
    for _ in range(rounds):
        before()
        began = time.perf_counter()
        run()
        took.append((time.perf_counter() - began) * 1000)
    return median(took)


def _client_of_each_request() -> Callable[[], QueryClient]:
    """Makes the client of one request after another, of one user."""
    made = _sign_in()
    pair = TokenPair(access=made.access, refresh=made.refresh)
    return lambda: create_query_client(tokens=TokenStore(pair), api=api_session(), deadline=Deadline(10))


def _browser() -> Client:
    browser = Client(headers={"accept": "text/html", "sec-fetch-mode": "navigate"}, SERVER_NAME="localhost")
    made = _sign_in()
    browser.cookies[VAR_ACCESS_TOKEN], browser.cookies[VAR_REFRESH_TOKEN] = made.access, made.refresh
    return browser


def _sign_in() -> SignIn:
    return new_sign_in(new_account(), "ENERGY_APP")


if __name__ == "__main__":
    main()

"""The options of `serve`. A server's parent reads them too, and imports no Django for that."""

from argparse import ArgumentParser

from portal.config.projects import INSTANCE_PORT_STEP
from portal_server.workers import WORKER_STOP_TIMEOUT_S


def add_serve_options(parser: ArgumentParser) -> None:
    """Add all of them to a parser."""
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=None, help="default: this project's own port")
    parser.add_argument(
        "--instance",
        type=int,
        default=1,
        help=f"number of this server among those of the project: the port is {INSTANCE_PORT_STEP} higher for each",
    )
    parser.add_argument("--workers", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--threads", type=int, default=8, help="threads of each worker (default: 8)")
    parser.add_argument(
        "--stop-timeout",
        type=int,
        default=WORKER_STOP_TIMEOUT_S,
        metavar="SECONDS",
        help=f"how long open requests may take when the server stops (default: {WORKER_STOP_TIMEOUT_S})",
    )
    parser.add_argument(
        "--end-with-parent",
        action="store_true",
        help="stop as soon as the process that started this one is gone",
    )
    parser.add_argument(
        "--only-prepare", action="store_true", help="keep what each start of this release needs, and serve nothing"
    )

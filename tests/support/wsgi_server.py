"""A server of any WSGI application, with the workers of a project's server, for tests and benchmarks.

python -m tests.support.wsgi_server MODULE:ATTRIBUTE PORT THREADS
"""

import os
import sys
from functools import partial

from portal_server.granian_worker import run_worker
from portal_server.ports import listen, new_socket
from portal_server.workers import WORKER_STOP_TIMEOUT_S, Workers


def serve_wsgi(
    target: str, *, port: int, workers: int = 1, threads: int = 1, stop_timeout_s: int = WORKER_STOP_TIMEOUT_S
) -> None:
    """Serve `module:attribute` on this machine until SIGTERM or SIGINT."""
    listener = new_socket("127.0.0.1")
    if refusal := listen(listener, "127.0.0.1", port):
        sys.exit(refusal)
    work = partial(run_worker, listener, target=target, threads=threads, parent=os.getpid())
    Workers(work, listener, count=workers, stop_timeout_s=stop_timeout_s).run()


if __name__ == "__main__":
    serve_wsgi(sys.argv[1], port=int(sys.argv[2]), threads=int(sys.argv[3]))

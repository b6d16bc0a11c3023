"""A server of any WSGI application, with the workers of a project's server, for tests and benchmarks.

python -m tests.support.wsgi_server MODULE:ATTRIBUTE PORT THREADS
"""

from __future__ import annotations

import sys

from portal.server.ports import listen, new_socket
from portal.server.workers import PreparedServer, Workers


def serve_wsgi(target: str, *, port: int, **options: int) -> None:
    """Serve `module:attribute` on this machine until SIGTERM or SIGINT."""
    server = PreparedServer(target=target, host="127.0.0.1", port=port, **options)
    listener = new_socket(server.host)
    if refusal := listen(listener, server.host, port):
        sys.exit(refusal)
    Workers(server, listener).run()


if __name__ == "__main__":
    serve_wsgi(sys.argv[1], port=int(sys.argv[2]), workers=1, threads=int(sys.argv[3]))

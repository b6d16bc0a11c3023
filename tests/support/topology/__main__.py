"""`make topology`: the topology of production on this machine, until Ctrl-C."""

import argparse
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from portal.config.projects import DEFAULT_PORT_BASE, PROJECTS
from portal_dev.local_servers.local_stack import DEMO_ACCOUNTS, DEMO_PASSWORD
from portal_dev.local_servers.server_group import ServerGroupError
from portal_server.parent_watch import end_with_process
from tests.support.processes import found_tool
from tests.support.topology import DOMAIN, Topology, running_topology

WATCH_INTERVAL_S = 0.5
STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
#: Program to the package of Debian that has it.
PROGRAMS = {"nginx": "nginx-light", "redis-server": "redis-server", "redis-sentinel": "redis-sentinel"}


def main() -> None:
    """Run the topology until a signal comes."""
    say = partial(print, flush=True)
    parser = argparse.ArgumentParser(prog="make topology", description="The topology of production on this machine.")
    port_base = int(os.environ.get("PORT_BASE") or DEFAULT_PORT_BASE)
    parser.add_argument("--port-base", type=int, default=port_base, help="first port (default: PORT_BASE, or 8000)")
    parser.add_argument("--tls-port", type=int, help="of nginx (default: the first port + 443); 443 needs root")
    parser.add_argument("--store", choices=("redis", "embedded"), default="redis")
    options = parser.parse_args()
    redis = options.store == "redis"
    missing = [PROGRAMS[program] for program in PROGRAMS if redis or program == "nginx" if not found_tool(program)]
    if missing:
        sys.exit(f"make topology needs packages of Debian: apt-get install {' '.join(missing)}")
    for number in STOPPING:
        signal.signal(number, signal.default_int_handler)
    # make may be killed without a chance to pass the signal on.
    end_with_process(os.getppid())
    folder = Path(tempfile.mkdtemp(prefix="portal-topology-"))
    try:
        with running_topology(
            folder, port_base=options.port_base, tls_port=options.tls_port, redis=redis, say=say
        ) as topology:
            try:
                for line in _description(topology):
                    say(line)
                say("ready")
                while True:
                    topology.group.check()
                    time.sleep(WATCH_INTERVAL_S)
            finally:
                _ignore_signals()
                say("stopping")
    except KeyboardInterrupt:
        pass
    except ServerGroupError as error:
        log = folder / "servers.log"
        sys.exit(f"{error}\n{log.read_text()[-4000:] if log.exists() else ''}")
    finally:
        _ignore_signals()
        shutil.rmtree(folder, ignore_errors=True)


def _description(topology: Topology) -> Iterator[str]:
    """Where everything is, and how a browser gets there."""
    yield ""
    for project in PROJECTS:
        ports = [str(server.port) for name, server in topology.instances.items() if name.startswith(project.app)]
        yield f"  {project.app:<12} {topology.url(project.app)}   instances at {', '.join(ports)}"
    yield f"  {topology.backend.name:<12} http://127.0.0.1:{topology.backend.port}"
    if topology.redis is not None:
        yield f"  redis        {topology.redis.url()}"
    yield f"  logs         {topology.log}, {topology.site.log}"
    yield ""
    yield f"  password {DEMO_PASSWORD!r} for {', '.join(DEMO_ACCOUNTS)}"
    yield f"  authority {topology.authority}"
    yield ""
    names = " ".join(topology.addresses.host(project.app) for project in PROJECTS)
    port, gateway = topology.site.tls_port, topology.url("auth_app", "/en/login")
    yield "  These names are in no DNS. Chromium finds them, in a profile for this alone, with:"
    yield (
        f"    chromium --user-data-dir=$(mktemp -d) --host-resolver-rules='MAP *.{DOMAIN} 127.0.0.1'"
        f" --ignore-certificate-errors {gateway}"
    )
    yield f"  curl:           curl --cacert {topology.authority} --connect-to ::127.0.0.1:{port} {gateway}"
    yield f"  other browsers: trust the authority, and add to /etc/hosts: 127.0.0.1 {names}"
    yield ""


def _ignore_signals() -> None:
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)


if __name__ == "__main__":
    main()

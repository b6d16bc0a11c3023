"""A real nginx with the site file of `deploy/`, on free ports, with a certificate that is thrown away."""

import contextlib
import os
import re
import socket
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.deploy.files import NGINX_SITE
from tests.support.authority import Authority
from tests.support.harness import require_tool
from tests.support.ports import free_port
from tests.support.processes import PATIENCE_S, ending_with_this_process, process_group, until

DOMAIN = "example.com"
HTTPS_PORT = 443


@dataclass(frozen=True)
class Site:
    """A running nginx."""

    tls_port: int
    http_port: int
    certificate: Path
    log: Path
    domain: str = DOMAIN

    @property
    def errors(self) -> Path:
        """The log of what went wrong."""
        return self.log.with_name("error.log")

    def url(self, name: str, path: str = "") -> str:
        """An address as a browser has it: `name` is the first part of the host."""
        port = "" if self.tls_port == HTTPS_PORT else f":{self.tls_port}"
        return f"https://{name}.{self.domain}{port}{path}"

    def logged(self, mark: str) -> list[str]:
        """The lines of the log with `mark` in them; nginx writes one only after its answer has left."""
        return until(lambda: re.findall(rf".*{re.escape(mark)}.*\n", self.log.read_text()), what=f"a line with {mark}")

    def send(self, request: bytes, *, sni: str | None = f"auth.{DOMAIN}", tls: bool = True) -> bytes:
        """Send bytes as they are, and read until the end; what no HTTP client would send."""
        address = ("127.0.0.1", self.tls_port if tls else self.http_port)
        with socket.create_connection(address, timeout=PATIENCE_S) as connection:
            stream: socket.socket = connection
            if tls:
                context = ssl.create_default_context(cafile=str(self.certificate))
                context.check_hostname = False
                stream = context.wrap_socket(connection, server_hostname=sni)
            with stream:
                stream.sendall(request)
                received = b""
                while part := stream.recv(65536):
                    received += part
                return received


@contextlib.contextmanager
def running_site(
    folder: Path,
    *,
    ports: Mapping[int, int],
    tls_port: int,
    http_port: int | None = None,
    domain: str = DOMAIN,
    lower: Mapping[str, str] | None = None,
) -> Iterator[Site]:
    """Serve the site file; only its domain, its ports, and the paths of certificate and logs, are others.

    :param ports: port of a server in the site file to the one where it listens now.
    :param lower: limits of the site file, and what stands in their place.
    """
    nginx = require_tool("nginx")
    authority = Authority(folder / "authority")
    names = re.search(r"server_name (auth\..+);", NGINX_SITE.read_text())
    assert names
    certificate, key = authority.sign(*names[1].replace(DOMAIN, domain).split())
    site = Site(
        tls_port=tls_port,
        http_port=http_port or free_port(),
        certificate=authority.file,
        log=folder / "access.log",
        domain=domain,
    )
    exchanges = {
        # Not every machine has IPv6.
        r"^ *listen \[::\].*\n": "",
        r"listen 443\b": f"listen 127.0.0.1:{site.tls_port}",
        r"listen 80\b": f"listen 127.0.0.1:{site.http_port}",
        r"/etc/letsencrypt/live/example\.com/fullchain\.pem": str(certificate),
        r"/etc/letsencrypt/live/example\.com/privkey\.pem": str(key),
        r"/var/log/nginx/portal\.access\.log": str(site.log),
        r"/var/www/letsencrypt": str(folder / "acme"),
        **{rf"^( *server) 127\.0\.0\.1:{written}\b(.*;)": rf"\1 127.0.0.1:{now}\2" for written, now in ports.items()},
        re.escape(DOMAIN): domain,
        **{re.escape(limit): other for limit, other in (lower or {}).items()},
    }
    text = NGINX_SITE.read_text()
    for pattern, replacement in exchanges.items():
        text, count = re.subn(pattern, replacement, text, flags=re.MULTILINE)
        assert count, f"the site file has no {pattern}"
    (folder / "site.conf").write_text(text)
    (folder / "nginx.conf").write_text(main_configuration(folder))
    command = [nginx, "-p", str(folder), "-e", str(site.errors), "-c", str(folder / "nginx.conf")]
    with process_group(ending_with_this_process(*command), stderr=subprocess.DEVNULL) as process:
        until(lambda: process.poll() is not None or listens(site.http_port), what="nginx listens")
        assert process.poll() is None, site.errors.read_text()
        yield site


def main_configuration(folder: Path) -> str:
    """What Debian's own `nginx.conf` is for, without what only root may write to."""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    return "\n".join(
        [
            "user root;" if os.geteuid() == 0 else "",
            f"daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;",
            "events { worker_connections 1024; }",
            "http {",
            "    gzip on;",
            *(f"    {kind}_temp_path {folder}/{kind};" for kind in kinds),
            f"    include {folder}/site.conf;",
            "}",
        ]
    )


def listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


@contextlib.contextmanager
def names_lead_here(domain: str = DOMAIN) -> Iterator[None]:
    """Inside the block, every name below the domain is this machine, for this process."""
    resolve = socket.getaddrinfo

    def here(host: object, *args: object, **options: object) -> object:
        known = isinstance(host, str) and host.endswith(f".{domain}")
        return resolve("127.0.0.1" if known else host, *args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", here)
        yield

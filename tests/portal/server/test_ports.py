"""What keeps a server from listening, said as it is."""

from __future__ import annotations

import socket

import pytest

from portal.server.ports import port_is_free, why_not_free
from tests.support.ports import free_port_base


def test_a_free_port_has_nothing_against_it() -> None:
    port = free_port_base()
    assert (port_is_free("127.0.0.1", port), why_not_free("127.0.0.1", port)) == (True, "")


def test_a_taken_port_is_called_taken() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        port = taken.getsockname()[1]
        assert not port_is_free("127.0.0.1", port)
        assert why_not_free("127.0.0.1", port) == (
            f"port {port} is taken: stop what listens there, or name another with --port"
        )


@pytest.mark.parametrize(
    ("host", "why"),
    [
        # Whether a resolver was asked depends on the machine, and so do its words.
        ("999.1.1.1", ""),
        # For documentation alone (RFC 5737): no machine has it.
        ("192.0.2.1", "Cannot assign requested address"),
    ],
)
def test_an_address_that_is_not_this_machines_is_not_called_taken(host: str, why: str) -> None:
    port = free_port_base()
    assert why_not_free(host, port).startswith(f"can't listen on host {host}, port {port}: {why}")

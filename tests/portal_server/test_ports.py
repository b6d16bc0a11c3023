"""What keeps a server from listening, said as it is."""

import socket

import pytest

from portal_server.ports import port_is_free, why_not_free
from tests.support.ports import free_port_base


def test_a_port_is_free_taken_or_not_of_this_machine() -> None:
    port = free_port_base()
    assert (port_is_free("127.0.0.1", port), why_not_free("127.0.0.1", port)) == (True, "")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert not port_is_free("127.0.0.1", port)
        assert why_not_free("127.0.0.1", port) == (
            f"port {port} is taken: stop what listens there, or name another with --port"
        )
    # For documentation alone (RFC 5737): no machine has it.
    why = f"can't listen on host 192.0.2.1, port {port}: Cannot assign requested address"
    assert why_not_free("192.0.2.1", port) == why


@pytest.mark.parametrize("host", ["localhost", "999.1.1.1", "", "127.0.0.1:80"])
def test_a_host_that_is_no_address_is_refused(host: str) -> None:
    # Each worker would fail at it, again and again: granian asks no resolver.
    assert why_not_free(host, free_port_base()).startswith(f"host {host} is no IP address: say 127.0.0.1")

"""Ends a listening socket so that no connection is lost: nobody new comes, and who waits is accepted first."""

from __future__ import annotations

import socket
import struct
import sys
import time
from contextlib import suppress
from typing import Final

#: From `linux/socket.h`; Python has no name for it.
_SO_ATTACH_FILTER: Final = 26
#: A filter of the kernel (BPF): drop the first packet of a connection, which alone has the flag SYN; keep the others.
#: Each instruction is an operation, two jumps and an operand; the flags are octet 13 of a TCP header.
_FILTER: Final = b"".join(
    struct.pack("=HBBI", *instruction)
    for instruction in (
        (0x30, 0, 0, 13),  # load octet 13
        (0x45, 0, 1, 0x02),  # has it the bit SYN? else skip one instruction
        (0x06, 0, 0, 0),  # drop
        (0x06, 0, 0, 0xFFFFFFFF),  # keep
    )
)
_INSTRUCTION_BYTES: Final = 8
#: Of a listening socket this field of `struct tcp_info` is the number of connections that wait to be accepted.
_WAITING: Final = struct.Struct("=24xI")

#: Seconds for a handshake that had begun, and for a thread that has accepted a connection, to end.
HANDSHAKE_WAIT_S: Final = 0.005
#: Longest wait until every connection is accepted, seconds.
DRAIN_TIMEOUT_S: Final = 2.0


def drain(listener: socket.socket) -> None:
    """Take no new connection, and wait until those that are there are accepted, by whichever process listens too.

    A client that connects from then on gets no answer. It tries again after 1 s, as TCP does, and is refused once the
    socket is closed, so a proxy takes another server. Does nothing on other systems than Linux. Some kernels and
    container runtimes let root alone attach a filter: there a client that connects in the very moment of the close is
    reset.
    """
    if not sys.platform.startswith("linux"):
        return
    _drop_new_connections(listener)
    end = time.monotonic() + DRAIN_TIMEOUT_S
    time.sleep(HANDSHAKE_WAIT_S)
    while _waiting_connections(listener) and time.monotonic() < end:
        time.sleep(HANDSHAKE_WAIT_S)


def leave(listener: socket.socket) -> None:
    """Drain a socket, and close it in this process. Another thread may have closed it."""
    with suppress(OSError), listener:
        drain(listener)


def _drop_new_connections(listener: socket.socket) -> None:
    import ctypes  # noqa: PLC0415  the parent needs it at its end alone

    program = ctypes.create_string_buffer(_FILTER, len(_FILTER))
    # `struct sock_fprog`: the number of instructions, and where they are.
    value = struct.pack("@HP", len(_FILTER) // _INSTRUCTION_BYTES, ctypes.addressof(program))
    # A server that ends here with an error would cut its open requests.
    with suppress(OSError):
        listener.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, value)


def _waiting_connections(listener: socket.socket) -> int:
    (waiting,) = _WAITING.unpack(listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _WAITING.size))
    return int(waiting)

"""Relays connections to a port, each octet so many milliseconds later in both directions together.

python -m benchmarks.growth.slow_relay PORT TO_PORT DELAY_MS
"""

from __future__ import annotations

import asyncio
import contextlib
import sys


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay_s: float) -> None:
    loop = asyncio.get_running_loop()
    with contextlib.suppress(OSError):
        while part := await reader.read(65_536):
            # A later part waits as long, so the order stays.
            loop.call_later(delay_s, writer.write, part)
        await asyncio.sleep(delay_s)
    writer.close()


async def relay(port: int, to: int, delay_s: float) -> None:
    """Relay until the process is ended."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        other_reader, other_writer = await asyncio.open_connection("127.0.0.1", to)
        await asyncio.gather(_pump(reader, other_writer, delay_s / 2), _pump(other_reader, writer, delay_s / 2))

    server = await asyncio.start_server(connected, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(relay(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]) / 1000))

"""A topology for one run of a benchmark, in a folder that is gone afterwards."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks._options import skip
from tests.support.ports import free_port_base
from tests.support.topology import OFFSETS, missing_programs, running_topology

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from tests.support.topology import Topology


@contextlib.contextmanager
def temporary_topology(
    options: argparse.Namespace, *, accounts: tuple[str, ...], token_lifetime_s: int, embedded: bool = False
) -> Iterator[Topology]:
    """A topology that runs inside the block. What it does is said on stderr.

    :param options: of the benchmark; a short run has one instance of each app, with one worker.
    :param accounts: email addresses of the people who use it.
    :param token_lifetime_s: lifetime of their access tokens, seconds.
    :param embedded: whether it has the embedded store, on a small disk, in place of Redis.
    """
    if missing := missing_programs(redis=not embedded):
        skip(f"this machine lacks {', '.join(missing)}")
    with (
        tempfile.TemporaryDirectory(prefix="topology-") as folder,
        running_topology(
            Path(folder),
            port_base=free_port_base(*OFFSETS),
            instances=1 if options.smoke else 2,
            workers=1 if options.smoke else 2,
            accounts=accounts,
            redis=not embedded,
            small_disk=embedded,
            sandbox={"SANDBOX_ACCESS_TOKEN_LIFETIME_S": str(token_lifetime_s)},
            say=lambda text: print(text, file=sys.stderr, flush=True),
        ) as topology,
    ):
        yield topology

"""The counts of all workers of one server. Workers share a port, so a scraper can't choose the one that it asks.

Each worker writes its counts into a file of its own, at most a second after they changed. The one that is asked adds
what is in the files of the others to what it has itself. The file of a worker that has died stays, so that no sum falls
when a worker is replaced; what it said of its present state (a gauge) no longer counts.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import secrets
import threading
import time
from collections import defaultdict
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from portal.web.metrics.families import Family, process_families, store_families

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from portal.web.metrics.families import Value

logger = logging.getLogger(__name__)

#: Seconds between looks at what has changed.
PUBLISH_EVERY_S: Final = 1.0


class WorkerCounts:
    """The counts of one worker, as the others see them.

    :param folder: private to this server. It exists.
    """

    def __init__(self, folder: Path) -> None:
        # A process id may come again.
        self.file = folder / f"{os.getpid()}-{secrets.token_hex(8)}.json"
        self._written = ""

    def publish(self, families: Iterable[Family]) -> None:
        """Write the counts, if they have changed."""
        text = json.dumps(
            {family.name: [(dict(labels), value) for labels, value in family.values] for family in families}
        )
        if text == self._written:
            return
        # Replaced as a whole: nobody reads half of it.
        fresh = self.file.with_suffix(".new")
        fresh.write_text(text)
        fresh.replace(self.file)
        self._written = text

    def publish_for_ever(self) -> None:
        """Write each change, until the process or the folder ends. A disk that is full may have room again."""
        fails = False
        while True:
            try:
                self.publish(process_families())
                fails = False
            except OSError as error:
                if not fails:
                    logger.warning("the counts of this worker are missing on /metrics of others: %s", error)
                fails = True
                if not self.file.parent.exists():
                    return
            time.sleep(PUBLISH_EVERY_S)


class _Own:
    counts: WorkerCounts | None = None


def publish_counts(folder: Path) -> None:
    """Let the other workers of this server read the counts of this one. Called once, in the worker."""
    _Own.counts = WorkerCounts(folder)
    threading.Thread(target=_Own.counts.publish_for_ever, name="publish-counts", daemon=True).start()


def server_families(folder: Path | None) -> Iterator[Family]:
    """The families of this server: of all its workers, if they share `folder`.

    :param folder: None for a process that is alone.
    """
    own = None if _Own.counts is None else _Own.counts.file
    others = [] if folder is None else list(_others(folder, own=own))
    for family in chain(process_families(), store_families()):
        yield _summed(family, others) if family.of_one_process else family


def _others(folder: Path, *, own: Path | None) -> Iterator[tuple[bool, dict[str, Any]]]:
    """Of each other worker: whether it lives, and its counts."""
    for file in folder.glob("*.json"):
        if file != own:
            # A cleaner of temporary files may be at work; and what is no worker's file takes no metric away.
            with contextlib.suppress(OSError, ValueError):
                yield _lives(int(file.name.partition("-")[0])), json.loads(file.read_text())


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError):
        # The id of a worker that has died may be that of another user's process by now.
        return False
    return True


def _summed(family: Family, others: Sequence[tuple[bool, dict[str, Any]]]) -> Family:
    sums: dict[tuple[tuple[str, str], ...], float] = defaultdict(int)
    counted: list[Iterable[Value]] = [family.values]
    counted += [counts.get(family.name, ()) for lives, counts in others if lives or family.kind == "counter"]
    for labels, value in chain.from_iterable(counted):
        sums[tuple(labels.items())] += value
    return replace(family, values=[(dict(labels), value) for labels, value in sums.items()])

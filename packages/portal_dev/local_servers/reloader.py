"""Restarts servers whose code has changed: `./manage.py run --reload`. It needs the extra `dev`.

Most templates and all static files need no restart: in `DEBUG` they are read from their source for each page.
docs/adr/0029-a-developers-day.md compares this with the ways of Django and granian.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from watchfiles import Change, DefaultFilter, PythonFilter, watch

from portal.server.ports import answers
from portal_dev.local_servers.held_ports import StandIn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from portal_dev.local_servers.server_group import Server, ServerGroup

#: Milliseconds between looks at the servers, while no file changes.
WATCH_INTERVAL_MS: Final = 200
#: What servers read once: catalogs, icons, and the file of the macros.
ALSO_CODE: Final = (".po", ".svg", "macros.html")


class CodeFilter(PythonFilter):
    """Code, and folders that are new: of one that was renamed, or written at once, the system may name no file."""

    def __init__(self) -> None:
        super().__init__(extra_extensions=ALSO_CODE)

    def __call__(self, change: Change, path: str) -> bool:
        """Whether a change is one of code."""
        is_new_folder = change is Change.added and Path(path).is_dir() and DefaultFilter.__call__(self, change, path)
        return is_new_folder or super().__call__(change, path)


class Reloader:
    """Watches the code of servers from its making on.

    :param say: prints a line.
    """

    def __init__(self, servers: Sequence[Server], *, say: Callable[[str], None]) -> None:
        self._servers = servers
        self._say = say
        self._stand_ins: dict[str, StandIn] = {}
        folders = {folder for server in servers for folder in server.code if folder.exists()}
        looks: dict[str, Any] = {"rust_timeout": WATCH_INTERVAL_MS, "yield_on_timeout": True}
        self._changes = watch(*folders, watch_filter=CodeFilter(), **looks)
        # The first look begins the watch.
        next(self._changes)

    def follow(self, group: ServerGroup) -> None:
        """Wait a moment for changes. Restart the servers whose code has changed, and name those that have ended.

        :raises KeyboardInterrupt: a signal arrived, and its handler raised an error.
        """
        changed = sorted(Path(name) for _, name in next(self._changes))

        def runs_changed(server: Server) -> bool:
            return any(path.is_relative_to(folder) for path in changed for folder in server.code)

        if affected := [*filter(runs_changed, self._servers)]:
            files = changed[0].name if len(changed) == 1 else f"{len(changed)} files"
            self._say(f"{files} changed: restarting {', '.join(server.name for server in affected)}")
            group.stop(*(server.name for server in affected))
            for server in affected:
                if stand_in := self._stand_ins.pop(server.name, None):
                    stand_in.stop()
            # The app of a service first: the others would take half of the processors.
            first = [server for server in affected if any(server.name in path.parts for path in changed)]
            rest = [server for server in affected if server not in first]
            group.start(first)
            for server in first if rest else ():
                # Returns with the answer, or after a moment.
                answers(server.port)
            group.start(rest)
        for name, status in group.take_ended().items():
            self._say(f"{name} has ended with status {status}; the next change of its code starts it again")
            listener = next(server.listener for server in self._servers if server.name == name)
            if listener is not None:
                self._stand_ins[name] = StandIn(listener, name=name, words=group.last_words(name))

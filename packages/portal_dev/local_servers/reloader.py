"""Restarts servers whose code has changed: `./manage.py run --reload`. It needs the extra `dev`.

Most templates and all static files need no restart: in `DEBUG` they are read from their source for each page.
docs/adr/0029-a-developers-day.md compares this with the ways of Django and granian.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from portal_dev.local_servers.server_group import Server, ServerGroup

#: Milliseconds between looks at the servers, while no file changes.
WATCH_INTERVAL_MS: Final = 200
#: What servers read once: catalogs, icons, and the file of the macros.
ALSO_CODE: Final = (".po", ".svg", "macros.html")


class Reloader:
    """Watches the code of servers from its making on.

    :param say: prints a line.
    """

    def __init__(self, servers: Sequence[Server], *, say: Callable[[str], None]) -> None:
        from watchfiles import PythonFilter, watch  # noqa: PLC0415  needs the extra `dev`

        self._servers = servers
        self._say = say
        folders = {folder for server in servers for folder in server.code if folder.exists()}
        code = PythonFilter(extra_extensions=ALSO_CODE)
        self._changes = watch(*folders, watch_filter=code, rust_timeout=WATCH_INTERVAL_MS, yield_on_timeout=True)
        # The first look begins the watch.
        next(self._changes)

    def follow(self, group: ServerGroup) -> None:
        """Wait a moment for changes. Restart the servers whose code has changed, and name those that have ended.

        :raises KeyboardInterrupt: a signal arrived, and its handler raised an error.
        """
        changed = sorted(Path(name) for _, name in next(self._changes))
        affected = [
            server
            for server in self._servers
            if any(path.is_relative_to(folder) for path in changed for folder in server.code)
        ]
        if affected:
            files = changed[0].name if len(changed) == 1 else f"{len(changed)} files"
            self._say(f"{files} changed: restarting {', '.join(server.name for server in affected)}")
            group.restart(affected)
        for name, status in group.take_ended().items():
            self._say(f"{name} has ended with status {status}; the next change of its code starts it again")

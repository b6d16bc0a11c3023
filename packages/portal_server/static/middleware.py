"""Serves static files by WhiteNoise; a name that this server does not have, from the folder that servers share."""

from collections.abc import Callable
from pathlib import Path

from django.contrib.staticfiles.storage import ManifestStaticFilesStorage
from django.http import HttpRequest, HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware

from portal.config.current import portal_config
from portal_server.static.sharing import HASHED_NAME


class StaticFilesMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]  # WhiteNoise has no types
    """WhiteNoise knows the files of this server since its start, and looks at no disk for them.

    A miss is looked up each time: it comes for the seconds in which two releases run, and from foreign tools.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        # First: WhiteNoise asks below whether a file is immutable.
        self._shared: Path | None = portal_config().static_shared_folder
        self._next = get_response
        super().__init__(get_response if self._shared is None else self._serve_shared)
        if self._shared is not None:
            # Where WhiteNoise's own `find_file` looks. It refuses what leads out of the folder.
            self.directories.append((f"{self._shared}/", self.static_prefix))

    def add_file_to_dictionary(self, url: str, path: str, stat_cache: object = None) -> None:
        """Take a file to serve, but not the list of all files, which only this server needs."""
        if url != f"{self.static_prefix}{ManifestStaticFilesStorage.manifest_name}":
            super().add_file_to_dictionary(url, path, stat_cache=stat_cache)

    def immutable_file_test(self, path: str, url: str) -> bool:
        """Whether browsers keep a file without asking again: one of the shared folder, by its name."""
        if self._shared is not None and Path(path).is_relative_to(self._shared):
            return True
        return bool(super().immutable_file_test(path, url))

    def _serve_shared(self, request: HttpRequest) -> HttpResponseBase:
        """Serve a file of the shared folder, or let the next middleware answer."""
        path = request.path_info
        found = self.find_file(path) if self._is_hashed(path) else None
        if found is None:
            return self._next(request)
        shared: HttpResponseBase = self.serve(found, request)
        return shared

    def _is_hashed(self, path: str) -> bool:
        return path.startswith(self.static_prefix) and HASHED_NAME.search(path) is not None and "/." not in path

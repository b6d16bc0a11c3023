"""A browser without scripts that trusts the topology's authority, and says where a form comes from."""

from __future__ import annotations

from pathlib import Path

import requests

from tests.support.http_browser import HttpBrowser


class Person(HttpBrowser):
    """See the module.

    :param authority: the file of the authority that it trusts.
    """

    def __init__(self, authority: Path) -> None:
        super().__init__()
        self.http.verify = str(authority)

    def post(self, url: str, fields: dict[str, str], *, follow: bool = False, **headers: str) -> requests.Response:
        origin = "/".join(url.split("/", 3)[:3])
        return super().post(url, fields, follow=follow, **{"Origin": origin, **headers})

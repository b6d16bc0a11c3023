"""What the lists and the pages of rows declare, as the URL tables of the running apps have them."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from tests.support.harness import ROOT

_TABLE: Final = """
import inspect, json
from django.urls import URLResolver, get_resolver
from django.urls.resolvers import LocalePrefixPattern
from portal_pages import DetailView, ListView
def page_of(view):
    cells = inspect.unwrap(view).__closure__ or ()
    return next((cell.cell_contents for cell in cells if isinstance(cell.cell_contents, (DetailView, ListView))), None)
found = []
for part in get_resolver().url_patterns:
    if isinstance(part, URLResolver) and isinstance(part.pattern, LocalePrefixPattern):
        for each in part.url_patterns:
            page, route = page_of(each.callback), str(each.pattern)
            if isinstance(page, ListView):
                found += [(route, "filter", one.param) for one in page.filters]
                found += [(route, "range", one.field) for one in page.ranges]
            if isinstance(page, DetailView):
                found += [(route, "related", one._wire_names[one.by]) for one in page.related]
print(json.dumps(sorted(set(found))))
"""


@dataclass(frozen=True, kw_only=True, order=True)
class Declared:
    """A filter or a range of a list, or a list on the page of a row.

    :param route: without the locale.
    :param name: the parameter; of a range its field.
    """

    app: str
    route: str
    what: Literal["filter", "range", "related"]
    name: str

    def __str__(self) -> str:
        return f"{self.route} {self.what} {self.name}"


@lru_cache
def declared_of(app: str) -> tuple[Declared, ...]:
    """All of an app."""
    command = [sys.executable, "manage.py", "--app", app, "shell", "--verbosity=0", "-c", _TABLE]
    found = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    rows = json.loads(found.stdout.splitlines()[-1])
    return tuple(Declared(app=app, route=route, what=what, name=name) for route, what, name in rows)

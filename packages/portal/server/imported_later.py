"""Keeps out of a worker what its packages import at once and no page uses: 7 MiB.

requests imports what guesses the encoding of a text; Django's forms and views the models of databases.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from types import ModuleType
from typing import Any


class _Later(ModuleType):
    """Stands for a package until somebody asks for a name that it does not have: Python imports the package then.

    Its submodules are imported as ever: of `django.db.models`, those that need all of it want it imported first.
    :class:`importlib.util.LazyLoader` imports for each name, also for those known.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            sys.modules.pop(self.__name__, None)
        # With Python's own locks, whatever number of threads asks.
        return getattr(import_module(self.__name__), name)


def import_later() -> None:
    """Called before Django and requests are imported."""
    _import_later("charset_normalizer", __version__=version("charset_normalizer"))
    none = type("none", (), {})
    # Of these classes a project without a database has no object.
    _import_later("django.db.models", CompositePrimaryKey=none, QuerySet=none)


def _import_later(name: str, **known: object) -> None:
    """A package that is there already stays.

    :param known: names that are asked for at once, and what stands for them.
    """
    if name in sys.modules:
        return
    spec = find_spec(name)
    assert spec is not None  # noqa: S101  for type checkers
    sys.modules[name] = later = _Later(name)
    vars(later).update(known, __path__=spec.submodule_search_locations, __spec__=spec)
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, later)

"""Keeps out of a worker what its packages import at once and no page uses: 7 MiB.

requests imports what guesses the encoding of a text; Django's responses, forms and views the models of databases.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any


class _Later(ModuleType):
    """A module that is imported when somebody asks for a name that it does not have yet.

    :class:`importlib.util.LazyLoader` asks at once for the `__path__` of a package whose submodules are imported.
    """

    def __getattr__(self, name: str) -> Any:
        self.__class__ = ModuleType  # type: ignore[assignment]  # a plain module from now on
        assert self.__spec__ is not None and self.__spec__.loader is not None  # noqa: S101, PT018  for type checkers
        self.__spec__.loader.exec_module(self)
        return getattr(self, name)


def import_later() -> None:
    """Called before Django and requests are imported."""
    _import_later("charset_normalizer", __version__=version("charset_normalizer"))
    # Of these classes a project without a database has no object.
    _import_later("django.db.models", CompositePrimaryKey=type("_None", (), {}), QuerySet=type("_None", (), {}))


def _import_later(name: str, **known: object) -> None:
    """A module that is there already stays.

    :param known: names that are asked for at once, and what stands for them.
    """
    if name not in sys.modules:
        spec = find_spec(name)
        assert spec is not None  # noqa: S101  for type checkers
        sys.modules[name] = module = module_from_spec(spec)
        module.__class__ = _Later
        vars(module).update(known)
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)

"""Keeps out of a worker what its packages import at once and no page uses: 7 MiB.

requests imports what guesses the encoding of a text; Django's responses, forms and views the models of databases.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Later(ModuleType):
    """A package that is imported when somebody asks for a name, or a submodule, that it does not have yet.

    :class:`importlib.util.LazyLoader` does so for any name, also for those that are there.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        _import_now(self)
        return getattr(self, name)


class _Path(list[str]):
    """Where the submodules of such a package are looked for."""

    def __init__(self, package: ModuleType) -> None:
        super().__init__(package.__path__)
        self._package = package

    def __iter__(self) -> Iterator[str]:
        _import_now(self._package)
        return super().__iter__()


def _import_now(package: ModuleType) -> None:
    spec: Any = package.__spec__
    if package.__class__ is _Later:
        package.__class__, package.__path__ = ModuleType, spec.submodule_search_locations  # type: ignore[assignment]  # mypy knows the class
        spec.loader.exec_module(package)


def import_later() -> None:
    """Called before Django and requests are imported."""
    _import_later("charset_normalizer", __version__=version("charset_normalizer"))
    none = type("none", (), {})
    # Of these classes a project without a database has no object.
    _import_later("django.db.models", "django.db.models.utils", CompositePrimaryKey=none, QuerySet=none)


def _import_later(name: str, *submodules: str, **known: object) -> None:
    """A package that is there already stays.

    :param submodules: those that are used.
    :param known: names that are asked for at once, and what stands for them.
    """
    if name in sys.modules:
        return
    spec = find_spec(name)
    assert spec is not None  # noqa: S101  for type checkers
    sys.modules[name] = package = module_from_spec(spec)
    vars(package).update(known)
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, package)
    for submodule in submodules:
        import_module(submodule)
    package.__class__, package.__path__ = _Later, _Path(package)

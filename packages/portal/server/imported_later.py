"""Keeps out of a worker what its packages import at once and no page uses: 7 MiB.

requests imports what guesses the encoding of a text; Django's forms and views the models of databases.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.metadata import version
from importlib.util import find_spec, spec_from_loader
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec


_removing = Lock()


class _Later(ModuleType):
    """Stands for a package until somebody asks for a name, or a submodule, that it does not have.

    Python imports the package then, with its own locks. :class:`importlib.util.LazyLoader` does so for each name, also
    for those that are known.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.imported(), name)

    def imported(self) -> ModuleType:
        """The package."""
        # Without the lock a second thread removes what a first one has begun to import.
        with _removing:
            if sys.modules.get(self.__name__) is self:
                del sys.modules[self.__name__]
        return import_module(self.__name__)


class _PackageFirst(MetaPathFinder):
    """Imports such a package before a submodule: by itself, many a submodule can't be imported."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:  # noqa: ARG002  as Python calls it
        package = sys.modules.get(name.rpartition(".")[0])
        if not isinstance(package, _Later):
            return None
        package.imported()
        module = sys.modules.get(name)
        if module is None:
            return None
        spec = spec_from_loader(name, _Loaded(module))
        # Python takes a module's own one where its package has imported it meanwhile.
        module.__spec__ = spec
        return spec


class _Loaded(Loader):
    """Gives a module that its package has imported already."""

    def __init__(self, module: ModuleType) -> None:
        self._module, self._spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:  # noqa: ARG002  as Python calls it
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec


def import_later() -> None:
    """Called before Django and requests are imported."""
    _import_later("charset_normalizer", __version__=version("charset_normalizer"))
    none = type("none", (), {})
    # Of these classes a project without a database has no object. Forms use the submodules.
    _import_later("django.db.models", "enums", "utils", CompositePrimaryKey=none, QuerySet=none)


def _import_later(name: str, *submodules: str, **known: object) -> None:
    """A package that is there already stays.

    :param submodules: those that are imported all the same.
    :param known: names that are asked for at once, and what stands for them.
    """
    if name in sys.modules:
        return
    spec = find_spec(name)
    assert spec is not None  # noqa: S101  for type checkers
    later = ModuleType(name)
    vars(later).update(known, __path__=spec.submodule_search_locations, __spec__=spec)
    sys.modules[name] = later
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, later)
    for submodule in submodules:
        import_module(f"{name}.{submodule}")
    cast("Any", later).__class__ = _Later
    if not any(isinstance(finder, _PackageFirst) for finder in sys.meta_path):
        sys.meta_path.insert(0, _PackageFirst())

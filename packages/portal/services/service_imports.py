"""Imports all services, the product's too. A module that can't be imported stops the apps that use it, and no other."""

import importlib
import pkgutil
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import portal.services
from portal.config.places import SOURCE_ROOT, place
from portal.config.platforms import PRODUCT
from portal.query import REGISTRY

_OWN: Final = portal.services.__name__
#: The domains here that every product has; the others are the examples'.
OF_EVERY_PRODUCT: Final = frozenset({"auth", "iam", "user"})
#: Where calls are declared: those that every product has, and the product's.
PACKAGES: Final = tuple(dict.fromkeys((_OWN, PRODUCT.services)))


def service_name(module: str) -> str | None:
    """What a module or a hook is called below its package of services; None for one that is no service."""
    for package in PACKAGES:
        if module.startswith(f"{package}."):
            return module.removeprefix(f"{package}.")
    return None


def services_folder() -> Path:
    """The folder of the product's services; it may be missing."""
    return Path(next(iter(_path_of(PRODUCT.services)), SOURCE_ROOT.joinpath(*PRODUCT.services.split("."))))


def _path_of(package: str) -> list[str]:
    """The folders of a package; none if there is no such package."""
    if package == _OWN:
        return list(portal.services.__path__)
    try:
        found = find_spec(package)
    except ModuleNotFoundError:
        return []
    return list(found.submodule_search_locations or ()) if found else []


#: Where teams declare. The rest of the package raises the errors of declarations.
_OURS = (Path(portal.services.__file__).parent, services_folder(), SOURCE_ROOT / "apps", SOURCE_ROOT / "tests")


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedImport:
    """A module that can't be imported.

    :param domain: the folder or module below the package of services that it belongs to.
    """

    module: str
    domain: str
    error: Exception

    def __str__(self) -> str:
        """For a command that needs all services."""
        return f"{place_of(self.error)}: {self.module} can't be imported: {self.error}"


def import_services() -> list[FailedImport]:
    """Import every module of the services, so that all of their groups are declared.

    :returns: those that can't be imported.
    """
    failed = []
    for name in _modules():
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001  whatever the code of a team does
            domain = (service_name(name) or "").partition(".")[0]
            failed.append(FailedImport(module=name, domain=domain, error=error))
            # All of them: this one may have begun to import another one again.
            for each in failed:
                REGISTRY.forget(each.module)
    return failed


def _modules() -> Iterator[str]:
    for package in PACKAGES:
        modules = pkgutil.walk_packages(_path_of(package), prefix=f"{package}.", onerror=lambda _: None)
        names = [found.name for found in modules]
        yield from names if package == PRODUCT.services else filter(_is_of_every_product, names)


def _is_of_every_product(module: str) -> bool:
    return (service_name(module) or "").partition(".")[0] in OF_EVERY_PRODUCT


def place_of(error: BaseException) -> str:
    """`file:line` of the code that made the mistake: the innermost line of an app, a service or a test."""
    if isinstance(error, SyntaxError) and error.filename:
        return place(error.filename, error.lineno or 1)
    frames = [(Path(frame.filename), frame.lineno or 1) for frame in traceback.extract_tb(error.__traceback__)]
    ours = [(path, line) for path, line in frames if any(map(path.is_relative_to, _OURS))]
    return place(*(ours or frames)[-1]) if frames else ""

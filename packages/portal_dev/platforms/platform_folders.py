"""The folders that belong to one platform alone: written from a template, and looked through before they are removed.

The template, `platform_template/`, mirrors the repository. In it `app_name` and `APP_NAME` stand for the platform.
"""

import filecmp
import re
import subprocess
import tomllib
from importlib.util import find_spec
from keyword import iskeyword, issoftkeyword
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from portal.config.locales import LOCALES
from portal.config.places import SOURCE_ROOT
from portal.config.platforms import PRODUCT
from portal.config.projects import PROJECT_BY_APP
from portal.edge import NEUTRAL_PATHS, PROFILE_PATH, PUBLIC_PATHS, UNGATED_PATHS
from portal.services.service_imports import OF_EVERY_PRODUCT, services_folder
from portal_dev.catalogs import TRANSLATED, write_catalog

PLATFORM_TEMPLATE: Final = Path(__file__).with_name("platform_template")
_PRODUCT_TEMPLATE: Final = Path(__file__).with_name("product_template")
_SERVICES: Final = re.compile(rf"\b{re.escape(PRODUCT.services)}\.(\w+)")
#: Only for a product that has pods.
_PODS: Final = "deploy/kubernetes/base"
#: Keeps Python, pytest and the tests of the documentation from taking a template for a file of this repository.
_SUFFIX: Final = "-tpl"
#: A name that would hide the file from git's and the packaging's rules for the template itself.
_HIDDEN: Final = {"gitattributes": ".gitattributes", "gitignore": ".gitignore"}


def platform_folders(name: str) -> list[str]:
    """Return the paths of a platform's folders, from the repository's root."""
    pods = [f"{_PODS}/{name}"] if (SOURCE_ROOT / _PODS).is_dir() else []
    return [f"apps/{name}", services_of(name), f"tests/apps/{name}", *pods]


def services_of(domain: str) -> str:
    """Return the folder of a domain's services, from the repository's root."""
    return str(services_folder().relative_to(SOURCE_ROOT) / domain)


def domain_users(root: Path) -> dict[str, list[str]]:
    """Return each domain with the files of apps that import its services: `apps/energy/views/elsewhere.py`."""
    users: dict[str, list[str]] = {}
    for path in sorted((root / "apps").rglob("*.py")):
        for domain in set(_SERVICES.findall(path.read_text())):
            if (root / services_of(domain)).is_dir():
                users.setdefault(domain, []).append(str(path.relative_to(root)))
    return users


def write_folders(name: str, root: Path) -> None:
    """Write the folders of a new platform below `root`. Its few texts are the web layer's, which are translated."""
    folders = tuple(f"{folder}/" for folder in platform_folders(name))
    write_template(PLATFORM_TEMPLATE, root, values=values_of(name, services=services_of("")), only=folders)
    for language in TRANSLATED:
        write_catalog(root / "apps" / name, language)


def write_product(root: Path, *, values: dict[str, str]) -> None:
    """Write a product below `root`: of the folders of its first platform those that it begins with, and its own."""
    write_template(PLATFORM_TEMPLATE, root, values=values, only=("apps/", "tests/"))
    write_template(_PRODUCT_TEMPLATE, root, values=values)


def write_template(template: Path, root: Path, *, values: dict[str, str], only: tuple[str, ...] = ("",)) -> None:
    """Write files of a template below `root`, and replace those that are there.

    :param values: for each `{{ name }}` of a text, and for `app_name` and a first `services` in a path.
    :param only: beginnings of the folders to write.
    """
    for path in sorted(template.rglob("*")):
        folder = str(path.relative_to(template).parent).replace("app_name", values["app_name"])
        folder = re.sub(r"^services\b", values["services"], folder)
        if not path.is_file() or not f"{folder}/".startswith(only):
            continue
        name = path.name.removesuffix(_SUFFIX)
        target = root / folder / _HIDDEN.get(name, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = re.sub(r"\{\{ (\w+) \}\}", lambda found: values.get(found[1], found[0]), path.read_text())
        target.write_text(text)
        target.chmod(path.stat().st_mode)


def values_of(name: str, *, services: str) -> dict[str, str]:
    """Return the values of the names in the templates.

    :param services: the folder of the services, from the repository's root.
    """
    return {"app_name": name, "AppName": name.capitalize(), "APP_NAME": name.upper(), "services": services}


def uncommitted_work(name: str, root: Path, *, folders: list[str]) -> list[str]:
    """Return the files in a platform's folders that neither git could bring back nor :func:`write_folders`.

    :param folders: those that are about to be removed.
    """
    with TemporaryDirectory() as fresh:
        write_folders(name, Path(fresh))
        return [
            str(path.relative_to(root))
            for folder in folders
            for path in sorted((root / folder).rglob("*"))
            if path.is_file()
            and "__pycache__" not in path.parts
            and path.suffix != ".mo"
            and not ((same := Path(fresh, path.relative_to(root))).exists() and filecmp.cmp(path, same, shallow=False))
            and not _is_committed(path)
        ]


def _is_committed(path: Path) -> bool:
    """Return whether git has the file as it is; False where there is no git."""
    command = ["git", "--literal-pathspecs", "status", "--porcelain", "--ignored", "--", path.name]
    try:
        return not subprocess.run(command, cwd=path.parent, check=True, capture_output=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return False


#: The longest name with which the registry's line is no longer than a line of code may be.
LONGEST: Final = 14
_NAME: Final = re.compile(rf"[a-z][a-z0-9]{{1,{LONGEST - 1}}}")
#: Name to the reason against it. Hosts are `<name>.<cookie domain>`, in the documentation's examples.
_RESERVED: Final = {
    name: reason
    for reason, names in tomllib.loads(Path(__file__).with_name("reserved_names.toml").read_text()).items()
    for name in names
}
#: First segments of paths that every app has a page for.
_PAGES: Final = {path.split("/")[1] for path in (*PUBLIC_PATHS, *NEUTRAL_PATHS, *UNGATED_PATHS, PROFILE_PATH)}
_HAS_SERVICE: Final = "the services have a domain or a module of this name"


def why_no_platform(name: str) -> str | None:
    """Return why no new platform of this product can have this name; None if one can."""
    reasons = {
        "there is a platform of this name": name in PROJECT_BY_APP,
        "it is a language, the first segment of an address": name in LOCALES,
        _HAS_SERVICE: any((services_folder() / service).exists() for service in (name, f"{name}.py")),
        **{f"{folder} is there already": (SOURCE_ROOT / folder).exists() for folder in platform_folders(name)},
    }
    return why_no_name(name) or next((reason for reason, holds in reasons.items() if holds), None)


def why_no_name(name: str) -> str | None:
    """Return why no platform of any product can have this name; None if one can."""
    if not _NAME.fullmatch(name):
        return f"it should be 2 to {LONGEST} lower-case letters (a to z) and digits, and begin with a letter"
    reasons = {
        "it is a word of the Python language": iskeyword(name) or issoftkeyword(name),
        "it is a page of every app": name in _PAGES,
        _RESERVED.get(name): name in _RESERVED,
        _HAS_SERVICE: name in OF_EVERY_PRODUCT,
        "Python has a module of this name": find_spec(name) is not None,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)

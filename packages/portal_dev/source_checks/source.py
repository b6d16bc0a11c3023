"""All faults of one app's source."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from django.core.checks import CheckMessage
from django.urls import get_resolver
from jinja2 import TemplateSyntaxError

from portal.config.current import portal_config
from portal.config.places import PACKAGES, SOURCE_ROOT
from portal.query import REGISTRY
from portal.services.service_imports import import_services, services_folder
from portal.web.templating import separate_environment
from portal_dev.catalogs import TRANSLATED, files_in, texts_of, untranslated, updated_catalog
from portal_dev.source_checks.faults import Fault, Names
from portal_dev.source_checks.python_code import python_faults
from portal_dev.source_checks.templates import Templates, row_faults, shown_rows
from portal_operate.checks import concerns


def check_source(**_kwargs: object) -> list[CheckMessage]:
    """Check the project's own folder, the templates that all projects share, and the services of its domain."""
    # Django runs the checks in any order; the names of hooks are looked up.
    import_services()
    project = portal_config().project
    folders = [SOURCE_ROOT / "apps" / project.app]
    # The gateway's code is a package, which a product has installed.
    folders += [PACKAGES / "portal_gateway"] if project.is_gateway and PACKAGES.parent == SOURCE_ROOT else []
    # The texts of the product itself are no app's.
    translated = [*folders, SOURCE_ROOT / "apps"] if project.is_gateway else folders
    services = files_in(services_folder(), ".py")
    own = [path for path in services if concerns(path.relative_to(services_folder()).parts[0].removesuffix(".py"))]
    # Nobody can tell more of files that can't be read.
    faults = {fault for folder in folders for fault in unreadable_files(folder)} or {
        *_page_faults(project.app, folders),
        *(fault for folder in translated for fault in _untranslated(folder)),
        *(fault for path in own for fault in python_faults(path)),
    }
    return [fault.as_message() for fault in sorted(faults)]


def unreadable_files(folder: Path) -> Iterator[Fault]:
    """Yield the Python that Python can't read, and the files that are not UTF-8."""
    for path in files_in(folder, ".py", ".html"):
        try:
            source = path.read_text(encoding="utf-8-sig")
            ast.parse(source if path.suffix == ".py" else "")
        except (SyntaxError, ValueError, RecursionError) as error:
            message, line = f"this file can't be read: {error}", getattr(error, "lineno", None) or 1
            yield Fault(path, line, "E011", message, "files are UTF-8; other checks follow when each can be read")


def _page_faults(app: str, folders: Iterable[Path]) -> Iterator[Fault]:
    """Yield the faults of an app's templates and Python."""
    templates = Templates(separate_environment())
    creates = {hook.name for hook in REGISTRY.mutations.values() if hook.method == "POST"}
    routes = [name for name in get_resolver(f"apps.{app}.urls").reverse_dict if isinstance(name, str)]
    icons = {Path(path).stem for path in templates.environment.list_templates(["svg"]) if "/icons/" in path}
    names = Names(routes, templates.paths, icons, creates)
    for name in templates.paths:
        yield from [*templates.compile_faults(name)] or templates.faults(name, names)
    for shown in shown_rows(f"apps.{app}.urls"):
        yield from row_faults(shown, templates)
    for folder in folders:
        yield from (fault for path in files_in(folder, ".py") for fault in python_faults(path, names=names))


def _untranslated(folder: Path) -> Iterator[Fault]:
    """Yield the texts of a folder that lack a translation."""
    try:
        missing = {language: set(untranslated(updated_catalog(folder, language))) for language in TRANSLATED}
    except TemplateSyntaxError:
        # Nobody knows the texts of that template before it can be read.
        return
    hint = "run update_catalogs, and fill in msgstr, with the same %(…)s, in locale/<language>/LC_MESSAGES/django.po"
    for text, places in texts_of(folder).items():
        languages = [language for language, texts in missing.items() if str(text) in texts]
        singular = text if isinstance(text, str) else text[0]
        message = f"the text {singular!r} has no translation into {', '.join(languages)}"
        yield from (Fault(path, line, "E006", message, hint) for path, line in places if languages)

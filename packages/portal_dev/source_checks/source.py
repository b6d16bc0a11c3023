"""All faults of one app's source."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import TYPE_CHECKING, Final

from jinja2 import TemplateNotFound, TemplateSyntaxError

from portal.config.current import portal_config
from portal.config.locales import DEFAULT_LOCALE
from portal.config.places import PACKAGES, SOURCE_ROOT
from portal.config.platforms import PLATFORMS
from portal.config.projects import PROJECT_BY_APP
from portal.query import REGISTRY
from portal.services.service_imports import import_services, services_folder
from portal.web.templating import separate_environments
from portal_dev.catalogs import TRANSLATED, files_in, texts_of, untranslated, updated_catalog
from portal_dev.source_checks.faults import Finding, SourceFault, faults_of
from portal_dev.source_checks.markup import Markup, markup_in
from portal_dev.source_checks.origins import template_origins
from portal_dev.source_checks.python_code import Names, declared_texts, python_faults
from portal_dev.source_checks.routes import routes_of, shown_rows, template_addresses
from portal_dev.source_checks.template_names import compile_faults, icons_of, name_findings
from portal_dev.source_checks.template_rows import row_faults
from portal_dev.source_checks.texts import blocks_in_attributes, unmarked_texts, untranslated_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from django.apps import AppConfig
    from django.core.checks import CheckMessage

    from portal.web.templating import PageEnvironment
    from portal_dev.source_checks.markup import Tag


CSRF: Final = "csrf_input"
ACCOUNT: Final = "portal/parts/page_account.html"
#: What a form may do whoever is signed in: end the sign-in, change the language.
_FOR_ANYBODY: Final = ("shell.logout_url", "/locale")
#: The layout of pages for those who are not signed in.
_SIGNED_OUT_LAYOUT: Final = "portal/plain.html"
_INCLUDE: Final = re.compile(r"""(?:include|extends)\s+["']([^"']+)["']""")


def form_findings(markup: Markup, *, load: Callable[[str], Markup | None]) -> Iterator[Finding]:
    """The forms of a template that lack what every form needs.

    :param load: gives an included template by its name; None if there is none.
    """
    signed_out = _SIGNED_OUT_LAYOUT in _layouts(markup, load=load, seen=frozenset())
    for form in markup.forms:
        has = set(_parts(markup, form.contents, load=load, seen=frozenset()))
        if CSRF not in has:
            told = "this form has no CSRF token: a browser that sends it gets a 403 page"
            yield Finding(form.line, "E003", told, f'write {{{{ {CSRF} }}}} after <form method="post" …>')
        action = " ".join((form.action, *(tag.source for tag in markup.tags_in(form.action))))
        if ACCOUNT not in has and not signed_out and not any(each in action for each in _FOR_ANYBODY):
            yield Finding(
                form.line,
                "E004",
                "this form does not say for whom its page was made: sent after somebody else has signed in, it writes"
                " in that user's name",
                f'write {{% include "{ACCOUNT}" %}} after {{{{ {CSRF} }}}}',
            )


def _layouts(markup: Markup, *, load: Callable[[str], Markup | None], seen: frozenset[str]) -> Iterator[str]:
    """The layout that a template extends, and the one that this layout extends, and so on."""
    for tag in markup.tags.values():
        name = _included(tag)
        if tag.source.startswith("extends") and name and name not in seen:
            yield name
            layout = load(name)
            if layout is not None:
                yield from _layouts(layout, load=load, seen=seen | {name})


def _parts(
    markup: Markup, contents: str, *, load: Callable[[str], Markup | None], seen: frozenset[str]
) -> Iterator[str]:
    """The tokens and included templates in some HTML, those of included templates too."""
    for tag in markup.tags_in(contents):
        name = _included(tag)
        if tag.is_expression:
            yield from re.findall(r"[A-Za-z_]\w*", tag.source)
        elif name and name not in seen:
            yield name
            included = load(name)
            if included is not None:
                yield from _parts(included, included.html, load=load, seen=seen | {name})


def _included(tag: Tag) -> str:
    match = None if tag.is_expression else _INCLUDE.match(tag.source)
    return match[1] if match else ""


def check_source(app_configs: Sequence[AppConfig] | None = None, **_kwargs: object) -> list[CheckMessage]:
    """A system check of the project's own folder, and of the templates that all projects share."""
    del app_configs
    # Django runs the checks in any order; the names of hooks are looked up.
    import_services()
    app = portal_config().project.app
    environments = separate_environments()
    folders, translated = [SOURCE_ROOT / "apps" / app], []
    if portal_config().project.is_gateway:
        # Its code is a package, which a product has installed. The texts of the product itself are no app's.
        folders += [PACKAGES / "portal_gateway"] if PACKAGES.parent == SOURCE_ROOT else []
        translated = [SOURCE_ROOT / "apps"]
    # Nobody can tell more of files that can't be read. A part with a fault is compiled with each page that includes it.
    faults = {fault for folder in folders for fault in unreadable_files(folder)} or {
        *_template_faults(environments, app=app),
        *_python_faults(environments[DEFAULT_LOCALE], folders, app=app),
        *(fault for folder in (*folders, *translated) for fault in _untranslated(folder)),
        *_service_faults(app),
    }
    return [fault.as_message() for fault in sorted(faults)]


def unreadable_files(folder: Path) -> Iterator[SourceFault]:
    """The Python that Python can't read, and the files that are not UTF-8."""
    for path in files_in(folder, ".py", ".html"):
        try:
            source = path.read_text(encoding="utf-8-sig")
            if path.suffix == ".py":
                ast.parse(source)
        except (SyntaxError, ValueError, RecursionError) as error:
            line = error.lineno if isinstance(error, SyntaxError) else None
            yield SourceFault(
                path=path,
                line=line or 1,
                message=f"this file can't be read: {error.msg if isinstance(error, SyntaxError) else error}",
                hint="files are UTF-8; the other checks of the source follow when each can be read",
                id="E011",
            )


def _template_faults(environments: dict[str, PageEnvironment], *, app: str) -> Iterator[SourceFault]:
    environment = environments[DEFAULT_LOCALE]
    urlconf = f"apps.{app}.urls"
    routes = routes_of(urlconf)
    paths = {name: environment.path_of(name) for name in environment.list_templates(extensions=["html"])}

    @cache
    def load(name: str) -> Markup | None:
        try:
            return markup_in(paths[name]) if name in paths else None
        except TemplateSyntaxError:
            return None

    markups = {name: markup for name in paths if (markup := load(name)) is not None}
    class_blocks = blocks_in_attributes(markups.values())
    for name in paths:
        yield from compile_faults(environments, name)
    for shown in shown_rows(urlconf):
        yield from row_faults(shown, environment)
    for name, markup in markups.items():
        findings = (
            *name_findings(environment, name, routes=routes),
            *unmarked_texts(markup, class_blocks=class_blocks, macros=environment.macros),
            *form_findings(markup, load=load),
            *template_origins(markup),
            *template_addresses(markup, routes),
        )
        yield from faults_of(paths[name], findings, markup.comments)


def _python_faults(environment: PageEnvironment, folders: Iterable[Path], *, app: str) -> Iterator[SourceFault]:
    def is_template(name: str) -> bool:
        try:
            environment.get_template(name)
        except TemplateNotFound:
            return False
        except TemplateSyntaxError as error:
            # A block that is not there; any other mistake is the template's own.
            return "there is no block" not in (error.message or "")
        return True

    modules = [path for folder in folders for path in files_in(folder, ".py")]
    own = {text for path in modules for text in declared_texts(ast.parse(path.read_text(encoding="utf-8-sig")))}
    names = Names(
        routes=routes_of(f"apps.{app}.urls"),
        templates=environment.list_templates(extensions=["html"]),
        is_template=is_template,
        icons=icons_of(environment),
        creates={hook.name for hook in REGISTRY.mutations.values() if hook.method == "POST"},
        permissions={*own, *(platform.permission for platform in PLATFORMS)},
    )
    for path in modules:
        yield from python_faults(path, names=names)


def _service_faults(app: str) -> Iterator[SourceFault]:
    """Those of the services that this app checks: of its domain, and on the gateway those of no app."""
    services = services_folder()
    for path in files_in(services, ".py"):
        domain = path.relative_to(services).parts[0].removesuffix(".py")
        if domain == app or (portal_config().project.is_gateway and domain not in PROJECT_BY_APP):
            yield from python_faults(path)


def _untranslated(folder: Path) -> Iterator[SourceFault]:
    try:
        missing = {language: set(untranslated(updated_catalog(folder, language))) for language in TRANSLATED}
    except TemplateSyntaxError:
        # Nobody knows the texts of that template before it can be read.
        return
    for text, files in texts_of(folder).items():
        languages = [language for language, texts in missing.items() if str(text) in texts]
        if languages:
            yield from untranslated_texts(text if isinstance(text, str) else text[0], files, languages=languages)

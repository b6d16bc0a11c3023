"""Django's template backend for pages: one Jinja2 engine for each language."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from django.template import engines
from django.template.backends.base import BaseEngine
from django.template.backends.jinja2 import Jinja2
from django.utils.timezone import get_current_timezone
from markupsafe import Markup

from portal.config.locales import DEFAULT_LOCALE, LOCALES
from portal.web.request import active_locale
from portal.web.templating.environment import BLOCK_MARK, PageEnvironment, PageLoader
from portal.web.templating.filters import ZONE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.forms import BoundField
    from django.template.backends.jinja2 import Template

#: The engine's name in the settings.
PAGES: Final = "pages"
_ENVIRONMENT: Final = f"{PageEnvironment.__module__}.{PageEnvironment.__name__}"


class PageTemplates(BaseEngine):
    """Gives a template in the language that is active. The options are those of Django's backend for Jinja2.

    A name may end with that of a block: `"energy/clients/list.html#table"` is that block alone, for htmx.
    """

    def __init__(self, params: dict[str, Any]) -> None:
        self._params = params.copy()
        self._options = self._params.pop("OPTIONS")
        self._compiled_dir: Path | None = self._options.pop("compiled_dir", None)
        super().__init__(self._params)
        self._engines: dict[str, Jinja2] = {}
        self._existing: dict[str, bool] = {}

    def from_string(self, template_code: str) -> Template:
        """A template from its text."""
        return self._engine(active_locale()).from_string(template_code)

    def get_template(self, template_name: str) -> Template:
        """The template of that name.

        :raises django.template.TemplateDoesNotExist: there is no such file.
        :raises django.template.TemplateSyntaxError: the template has a mistake.
        """
        return self._engine(active_locale()).get_template(template_name)

    def environment(self, language: str) -> PageEnvironment:
        """Jinja2's environment of a language, one of :mod:`portal.config.locales`."""
        return cast("PageEnvironment", self._engine(language).env)

    def has(self, name: str) -> bool:
        """Whether there is a file of that name. One may come and go where templates are reloaded."""
        found = None if self._options.get("auto_reload") else self._existing.get(name)
        if found is None:
            found = self._existing[name] = any((Path(folder) / name).is_file() for folder in self.dirs)
        return found

    def use_engines(self, engines_by_language: dict[str, Jinja2]) -> None:
        """Use these, and put those that are made later beside them, so that tests compile templates once."""
        self._engines = engines_by_language

    def compile_all(self) -> None:
        """Compile every template in every language that no other process has compiled, and import what renders them."""
        for language in LOCALES:
            engine = self._engine(language)
            # Django imports these modules with the first page that it renders.
            _ = engine.template_context_processors
            cast("PageEnvironment", engine.env).compile_all()

    def _engine(self, language: str) -> Jinja2:
        engine = self._engines.get(language)
        if engine is None:
            options = {
                **self._options,
                "compiled_in": self._compiled_dir and self._compiled_dir / language,
                "environment": _ENVIRONMENT,
                "loader": PageLoader(self.dirs),
                "language": language,
            }
            # Of two threads that come here at once, both use the engine of the first.
            engine = self._engines.setdefault(language, Jinja2({**self._params, "OPTIONS": options}))
        return engine


def separate_environment() -> PageEnvironment:
    """Make an environment of the default language. It joins no page with its layout: each fault has its own line."""
    loader = PageLoader(cast("PageTemplates", engines[PAGES]).dirs)
    return PageEnvironment(language=DEFAULT_LOCALE, joins_pages=False, loader=loader, autoescape=True)


def compile_templates() -> None:
    """Compile all templates in all languages now, so that no request has to wait for that.

    Where the settings name a folder for them, the first process that does so writes them there. Others read a template
    from there when a page first needs it.
    """
    cast("PageTemplates", engines[PAGES]).compile_all()


def own_or_default(own: str, default: str) -> str:
    """The name of a template of an app's own, where there is its file; else that of the default."""
    return own if cast("PageTemplates", engines[PAGES]).has(own) else default


def render_field(field: BoundField) -> Markup:
    """One field of a form with its label, hint and errors, as form pages show it, in the active language."""
    names: dict[str, Any] = cast("PageTemplates", engines[PAGES]).environment(active_locale()).globals
    html: Markup = names["field"](field)
    return html


def render_block(template: str, block: str, variables: Mapping[str, object]) -> Markup:
    """One block of a page, with these variables alone, in the active language."""
    return render_part(f"{template}{BLOCK_MARK}{block}", variables)


def render_part(template: str, variables: Mapping[str, object]) -> Markup:
    """A template, with these variables alone, in the active language."""
    environment = cast("PageTemplates", engines[PAGES]).environment(active_locale())
    return Markup(environment.get_template(template).render({ZONE: get_current_timezone(), **variables}))  # noqa: S704  escaped

"""Django's template backend for pages: one Jinja2 engine for each language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.template.backends.base import BaseEngine
from django.template.backends.jinja2 import Jinja2

from portal.config.locales import LOCALES
from portal.web.request import active_locale
from portal.web.templating.environment import PageEnvironment, PageLoader

if TYPE_CHECKING:
    from django.template.backends.jinja2 import Template

_ENVIRONMENT: Final = f"{PageEnvironment.__module__}.{PageEnvironment.__name__}"


class PageTemplates(BaseEngine):
    """Gives a template in the language that is active. The options are those of Django's backend for Jinja2.

    A name may end with that of a block: `"energy/clients/list.html#table"` is that block alone, for htmx.
    """

    def __init__(self, params: dict[str, Any]) -> None:
        params = params.copy()
        options = params.pop("OPTIONS") | {"environment": _ENVIRONMENT, "loader": PageLoader(params["DIRS"])}
        super().__init__(params)
        self._engines = {
            language: Jinja2({**params, "OPTIONS": {**options, "language": language}}) for language in LOCALES
        }

    def from_string(self, template_code: str) -> Template:
        """A template from its text."""
        return self._engines[active_locale()].from_string(template_code)

    def get_template(self, template_name: str) -> Template:
        """The template of that name.

        :raises django.template.TemplateDoesNotExist: there is no such file.
        :raises django.template.TemplateSyntaxError: the template has a mistake.
        """
        return self._engines[active_locale()].get_template(template_name)

"""Jinja2's environment of one language: where templates are, which names they have, how they are compiled."""

import re
from collections.abc import MutableMapping
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from django.templatetags.static import static
from django.utils.translation import gettext, ngettext
from jinja2 import Environment, FileSystemLoader, TemplateAssertionError, nodes, pass_context
from jinja2.ext import Extension
from jinja2.runtime import Context, Macro
from markupsafe import Markup, escape

from portal.config.current import portal_config
from portal.config.locales import LOCALES
from portal.config.platforms import PRODUCT
from portal.web.present import NO_VALUE, formats_of
from portal.web.templating.filters import format_filters
from portal.web.templating.names import FILTERS, TEXTS, Links, icons_of, texts_of

#: Everything that RFC 3966 leaves out of a number, and people write into it.
_NO_DIGIT: Final = re.compile(r"[^0-9]")
_INDENTATION: Final = re.compile(r"^ +", re.MULTILINE)
#: Decimal places: about a metre.
_PLACES: Final = 5
_MAP: Final = "https://www.openstreetmap.org/?mlat={0}&mlon={1}#map=17/{0}/{1}"  # fixed address: the public map
#: Latitude and longitude, each of which a row may lack.
Position = tuple[float | None, float | None]


def mailto(address: str | None) -> Markup:
    """`{{ row.email|mailto }}`: a link that begins an email; a dash without an address."""
    return _link(f"mailto:{quote(address, safe='@')}", address) if address else escape(NO_VALUE)


def tel(number: str | None) -> Markup:
    """`{{ row.phone|tel }}`: a link that calls the number, as RFC 3966 writes it; a dash without one."""
    digits = _NO_DIGIT.sub("", number or "")
    if not number or not digits:
        return escape(number or NO_VALUE)
    return _link(f"tel:{'+' if number.lstrip().startswith('+') else ''}{digits}", number)


def geo(position: Position | None) -> Markup:
    """`{{ (row.latitude, row.longitude)|geo }}`: a link that opens the place in an app for maps (RFC 5870).

    A dash without a position.
    """
    text = geo_text(position)
    return _link(f"geo:{text.replace(' ', '')}", text) if text else escape(NO_VALUE)


def geo_text(position: Position | None) -> str:
    """Latitude and longitude, degrees; empty without a position."""
    latitude, longitude = position or (None, None)
    return "" if latitude is None or longitude is None else f"{latitude:.{_PLACES}f}, {longitude:.{_PLACES}f}"


def map_url(position: Position | None) -> str:
    """The place on a public map: few desktops have an app for `geo:`. Empty without a position."""
    latitude, longitude = position or (None, None)
    return "" if latitude is None or longitude is None else _MAP.format(f"{latitude:.5f}", f"{longitude:.5f}")


def _link(url: str, text: str) -> Markup:
    return Markup(f'<a href="{escape(url)}">{escape(text)}</a>')  # noqa: S704  both are escaped


CONTACT_FILTERS: Final = {"geo": geo, "geo_text": geo_text, "mailto": mailto, "map_url": map_url, "tel": tel}


#: Its macros are names of every template.
MACROS: Final = "portal/macros.html"
#: A text of `{% trans %}` may stand on several lines.
TEMPLATE_POLICIES: Final = {"ext.i18n.trimmed": True}
#: Separates a template's name from the name of a block: `"energy/clients/list.html#table"`.
BLOCK_MARK: Final = "#"


class OneSpaceOfIndentation(Extension):
    """Leaves one space of each line's indentation, an eighth of a page. No template has text whose spaces matter."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # noqa: ARG002  of Jinja2
        """Return the text that is compiled."""
        return _INDENTATION.sub(" ", source)


class PageEnvironment(Environment):
    """The environment of one language.

    :ivar macros: the shared macros, each with the names of its arguments.
    :param language: a language code of Django's.
    """

    def __init__(self, *, language: str, loader: FileSystemLoader, **options: Any) -> None:
        # All templates stay in memory: there are about a hundred. The languages share their compiled code, in which
        # nothing of one language is evaluated: not by the optimizer, nor where a value is written with a context.
        super().__init__(
            **options,
            loader=loader,
            cache_size=-1,
            finalize=_blank_for_none,
            optimized=False,
            trim_blocks=True,
            extensions=["jinja2.ext.i18n", OneSpaceOfIndentation],
        )
        self._loader = loader
        app = portal_config().project.app
        icon = icons_of(app, "portal", read=self._read)
        links = Links(urlconf=f"apps.{app}.urls", icon=icon)
        self.policies |= TEMPLATE_POLICIES
        self.filters |= {
            **format_filters(formats_of(language)),
            **FILTERS,
            **CONTACT_FILTERS,
            "link": links.link,
            "offered": links.offered,
            "platform_link": links.platform_link,
        }
        # Tells `{% trans %}` how it calls the functions, which are ours from the next line on.
        self.install_gettext_callables(gettext, ngettext, newstyle=True)  # type: ignore[attr-defined]  # the extension adds it
        self.globals |= {
            "APP": app,
            "LOCALE": language,
            "LOCALES": LOCALES,
            "PRODUCT": PRODUCT.name,
            **texts_of(language),
            "icon": icon,
            "list_url": links.list_url,
            "nav_link": links.nav_link,
            "static": cache(static),
            "url": links.url,
        }
        module = self.get_template(MACROS).module
        macros = {name: value for name, value in vars(module).items() if isinstance(value, Macro)}
        self.globals |= macros
        self.macros = {name: tuple(macro.arguments) for name, macro in macros.items()}

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return the names of a template as a plain dict, which is copied ten times as fast as Jinja2's own."""
        return {**self.globals, **(d or {})}

    def names(self) -> list[str]:
        """Return the names of all templates. An editor's link to nowhere, `.#list.html`, is none."""
        return self.list_templates(filter_func=lambda name: name.endswith(".html") and BLOCK_MARK not in name)

    def compile(
        self,
        source: str | nodes.Template,
        name: str | None = None,
        filename: str | None = None,
        raw: bool = False,
        defer_init: bool = False,
    ) -> Any:
        """Compile a template.

        :raises jinja2.TemplateAssertionError: a text is no constant. It is written as HTML, without being escaped.
        """
        tree = self.parse(source, name, filename) if isinstance(source, str) else source
        for call in tree.find_all(nodes.Call):
            called = call.node.name if isinstance(call.node, nodes.Name) else ""
            if not all(isinstance(text, nodes.Const) for text in call.args[: TEXTS.get(called, 0)]):
                raise TemplateAssertionError(f"the text of {called}() is a constant", call.lineno, name, filename)
        compiled: Any = super().compile(tree, name, filename, raw, defer_init)  # type: ignore[call-overload]  # of both
        return compiled

    def tree_of(self, name: str) -> nodes.Template:
        """Return the syntax tree of a template.

        :raises jinja2.TemplateSyntaxError: the template has a mistake.
        """
        source, filename, _ = self._loader.get_source(self, name)
        return self.parse(source, name, filename)

    def path_of(self, name: str) -> Path:
        """Return the file of a template.

        :raises jinja2.TemplateNotFound: there is none.
        """
        return Path(self._loader.get_source(self, name)[1] or name)

    def _read(self, path: str) -> str:
        return self._loader.get_source(self, path)[0]


@pass_context
def _blank_for_none(_context: Context, value: object) -> object:
    return "" if value is None else value

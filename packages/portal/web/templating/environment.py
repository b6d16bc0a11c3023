"""Jinja2's environment of one language: where templates are, which names they have, how they are compiled."""

from __future__ import annotations

import pickle
import re
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote

from django.utils import translation
from django.utils.translation import gettext, ngettext
from jinja2 import Environment, FileSystemLoader, nodes
from jinja2.runtime import Macro
from markupsafe import Markup, escape

from jinja_onepage import CompiledTemplates, ConstantFolder, Joiner, PageCodeGenerator, written
from portal.config.current import portal_config
from portal.config.locales import LOCALES
from portal.config.platforms import PRODUCT
from portal.web.present import NO_VALUE, formats_of
from portal.web.templating.filters import format_filters
from portal.web.templating.names import FILTERS, FUNCTIONS, Links, icons_of

if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping

    from jinja2 import Template


#: Everything that RFC 3966 leaves out of a number, and people write into it.
_NO_DIGIT: Final = re.compile(r"[^0-9]")
#: A line of nothing but one block or comment, which leaves nothing of itself.
_LONE_BLOCK: Final = re.compile(r"\{[%#](?:(?![%#]\}).)*[%#]\}")
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
#: Blocks that views render alone.
FRAGMENT_BLOCKS: Final = frozenset({"columns", "live", "row", "table"})


def without_indentation(text: str) -> str:
    """A template without its indentation, an eighth of a page. No template has text whose spaces matter.

    Where a line ends with a block, its end is no part of the page: one space stays of the indentation after it.
    """
    lines, is_open = [], False
    for line in text.split("\n"):
        bare = line.lstrip(" ")
        is_lone = _LONE_BLOCK.fullmatch(bare)
        lines.append(f" {bare}" if is_open and bare != line and bare and not is_lone else bare)
        if not is_lone:
            is_open = bare.endswith(("%}", "#}"))
    return "\n".join(lines)


class PageLoader(FileSystemLoader):
    """Finds `"list.html#table"` in the file of `"list.html"`."""

    def list_templates(self) -> list[str]:
        """All names. An editor's link to nowhere, `.#list.html`, can be none."""
        return [name for name in super().list_templates() if BLOCK_MARK not in name]

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        """The text without its indentation, the file, and whether the text is still that of the file."""
        text, file, is_unchanged = super().get_source(environment, template.partition(BLOCK_MARK)[0])
        return without_indentation(text), file, is_unchanged

    def load(
        self,
        environment: Environment,
        name: str,
        globals: MutableMapping[str, Any] | None = None,  # noqa: A002  Jinja2's name
    ) -> Template:
        """The template, from what was compiled before if it is there. Its file is not read again then."""
        assert isinstance(environment, PageEnvironment)  # noqa: S101  for type checkers
        compiled = environment.compiled
        code = None if compiled is None else compiled.code(name)
        if code is not None:
            return environment.template_class.from_code(environment, code, globals or {})
        source, filename, is_unchanged = self.get_source(environment, name)
        watched = [is_unchanged]
        code = environment.compile(source, name, filename, watched=watched)
        if compiled is not None:
            compiled.add(name, code)
        # Jinja2 asks in DEBUG alone.
        return environment.template_class.from_code(
            environment, code, globals or {}, lambda: all(is_same() for is_same in watched)
        )


class _Part(NamedTuple):
    """A layout or part. To read a pickled tree takes a sixth of the CPU time of a deep copy.

    The copies alone, about 1,200 for the pages of one app in three languages, took 0.07 s in place of 0.43 s.
    """

    pickled: bytes
    has_blocks: bool
    is_unchanged: Callable[[], bool]


class PageEnvironment(Environment):
    """The environment of one language. What a template says in that language is settled when it is compiled.

    :ivar macros: the shared macros, each with the names of its arguments.
    :ivar compiled: what was compiled by another process; None where nothing is kept.
    :param language: a language code of Django's.
    :param joins_pages: whether a page, its layouts and its parts are compiled as one template.
    :param compiled_in: the folder for what is compiled.
    """

    code_generator_class = PageCodeGenerator
    #: For the code that it generates.
    written = staticmethod(written)

    def __init__(
        self,
        *,
        language: str,
        joins_pages: bool,
        loader: PageLoader,
        compiled_in: Path | None = None,
        **options: Any,
    ) -> None:
        # All templates stay in memory: there are about a hundred.
        super().__init__(
            **options,
            loader=loader,
            cache_size=-1,
            trim_blocks=True,
            extensions=["jinja2.ext.i18n"],
        )
        self._loader = loader
        self._language = language
        self._joins_pages = joins_pages
        self._fragments: set[str] = set()
        #: Layouts and parts: the tree, and whether the file is still the one that it was made of.
        self._parts: dict[str, _Part] = {}
        self.compiled: CompiledTemplates | None = None
        if compiled_in is not None:
            names = self.list_templates(extensions=["html"])
            self.compiled = CompiledTemplates(compiled_in, sources=((name, self._read(name)) for name in names))
        app = portal_config().project.app
        icon = icons_of(app, "portal", read=self._read)
        links = Links(urlconf=f"apps.{app}.urls", icon=icon)
        self._values = {"APP": app, "LOCALE": language, "LOCALES": LOCALES, "PRODUCT": PRODUCT.name}
        self._functions: dict[str, Callable[..., object]] = {
            **FUNCTIONS,
            "icon": icon,
            "list_url": links.list_url,
            "url": links.url,
        }
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
        self.globals |= self._values | self._functions | {"nav_link": links.nav_link}
        macros = self._macros()
        self.globals |= macros
        self._functions |= macros
        self.macros = {name: tuple(value.arguments) for name, value in macros.items() if isinstance(value, Macro)}

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """The names of a template: a plain dict. Jinja2 copies it for each rendering, ten times as fast as its own."""
        return {**self.globals, **(d or {})}

    def compile_all(self) -> None:
        """Compile every template now, unless another process has done so, so that no request has to wait for that."""
        if self.compiled is not None and self.compiled.names:
            return
        names = self.list_templates(extensions=["html"])
        for name in names:
            # A layout is compiled with each page that extends it.
            if name not in self._parts or not self._parts[name].has_blocks:
                self.get_template(name)
        for name in sorted(self._fragments):
            self.get_template(name)
        self._parts.clear()
        if self.compiled is not None:
            self.compiled.end()

    def path_of(self, name: str) -> Path:
        """The file of a template.

        :raises jinja2.TemplateNotFound: there is none.
        """
        return Path(self._loader.get_source(self, name)[1] or name)

    def tree_with_calls(self, name: str) -> nodes.Template:
        """The tree of one template for who looks for faults: names of constants are replaced, no call is evaluated.

        :raises jinja2.TemplateSyntaxError: the template has a mistake.
        """
        source, filename, _ = self._loader.get_source(self, name)
        folder = ConstantFolder(functions={}, values=self._values, name=name, filename=filename)
        return folder.fold(self.parse(source, name, filename))

    def compile(
        self,
        source: str | nodes.Template,
        name: str | None = None,
        filename: str | None = None,
        raw: bool = False,
        defer_init: bool = False,
        *,
        watched: list[Callable[[], bool]] | None = None,
    ) -> Any:
        """Compile a template in this environment's language, constants evaluated and layouts joined.

        :param watched: takes, for each layout and part that was joined, what tells whether its file is unchanged.
        """
        with translation.override(self._language):
            page, _, block = (name or "").partition(BLOCK_MARK)
            tree = self._folded(source, name, filename)
            if page != MACROS:
                # In DEBUG too, so that a page that can't be joined is refused there. A block is always joined.
                is_joined = bool(block) or self._joins_pages
                joiner = Joiner(name=name, filename=filename, load=partial(self._part, watched=watched))
                joined = joiner.join(tree if is_joined else deepcopy(tree), block=block)
                self._fragments |= {
                    f"{page}{BLOCK_MARK}{each}" for each in FRAGMENT_BLOCKS & joiner.blocks.keys() if page
                }
                tree = joined if is_joined else tree
            tree.set_environment(self)
            compiled: Any = super().compile(tree, name, filename, raw, defer_init)  # type: ignore[call-overload]  # as above
        return compiled

    def _folded(self, source: str | nodes.Template, name: str | None, filename: str | None) -> nodes.Template:
        tree = self.parse(source, name, filename) if isinstance(source, str) else source
        folder = ConstantFolder(functions=self._functions, values=self._values, name=name, filename=filename)
        folded = folder.fold(tree)
        # So that a copy does not copy the environment. What is compiled has it.
        folded.set_environment(None)  # type: ignore[arg-type]  # Jinja2 itself makes nodes without one
        return folded

    def _part(self, name: str, *, watched: list[Callable[[], bool]] | None) -> nodes.Template:
        """The tree of a layout or part. A copy, since the joiner changes it."""
        part = self._parts.get(name)
        if part is None or (self.auto_reload and not part.is_unchanged()):
            source, filename, is_unchanged = self._loader.get_source(self, name)
            tree = self._folded(source, name, filename)
            part = _Part(pickle.dumps(tree), tree.find(nodes.Block) is not None, is_unchanged)
            self._parts[name] = part
        if watched is not None:
            watched.append(part.is_unchanged)
        copy: nodes.Template = pickle.loads(part.pickled)  # noqa: S301  made here
        return copy

    def _read(self, path: str) -> str:
        return self._loader.get_source(self, path)[0]

    def _macros(self) -> dict[str, Any]:
        module = self.get_template(MACROS).module
        return {name: value for name, value in vars(module).items() if not name.startswith("_")}

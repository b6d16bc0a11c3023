"""Django's template backend for pages: one Jinja2 engine for each language."""

from collections.abc import Mapping
from pathlib import Path
from types import CodeType
from typing import Any, Final, cast

from django.forms import BoundField
from django.template import engines
from django.template.backends.base import BaseEngine
from django.template.backends.jinja2 import Jinja2, Template
from django.utils.timezone import get_current_timezone
from jinja2 import BytecodeCache, FileSystemBytecodeCache, FileSystemLoader
from jinja2 import Template as Page
from jinja2.bccache import Bucket
from markupsafe import Markup

from portal.config.environment import private_dir
from portal.config.locales import DEFAULT_LOCALE, LOCALES
from portal.web.request import active_locale
from portal.web.templating.environment import BLOCK_MARK, PageEnvironment
from portal.web.templating.filters import ZONE

#: The engine's name in the settings.
PAGES: Final = "pages"
_ENVIRONMENT: Final = f"{PageEnvironment.__module__}.{PageEnvironment.__name__}"


class Block:
    """One block of a page: rendered alone, with what is set at the top of the page's file."""

    def __init__(self, page: Page, block: str) -> None:
        self._page = page
        self._block = block

    def render(self, variables: Mapping[str, object]) -> str:
        """Return the HTML of the block.

        :raises KeyError: neither the page nor its layouts have that block.
        """
        page = self._page
        context = page.new_context(dict(variables))
        try:
            # Before the outermost layout writes its first text, each layout has named its blocks.
            next(page.root_render_func(context))
            return page.environment.concat(context.blocks[self._block][0](context))
        except Exception:  # noqa: BLE001  raised again, with the lines of the template, as by Jinja2's own `render`
            page.environment.handle_exception()


class SharedCode(BytecodeCache):
    """Keeps the compiled code of each template once for all languages: in memory, and in a folder if there is one."""

    def __init__(self, folder: Path | None) -> None:
        self._files = FileSystemBytecodeCache(str(private_dir(folder))) if folder else None
        self._code: dict[str, tuple[str, CodeType | None]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give the bucket its code, if it is compiled already."""
        checksum, code = self._code.get(bucket.key, ("", None))
        if checksum == bucket.checksum:
            bucket.code = code
        elif self._files:
            self._files.load_bytecode(bucket)
            self._code[bucket.key] = bucket.checksum, bucket.code

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template that was compiled now."""
        self._code[bucket.key] = bucket.checksum, bucket.code
        if self._files:
            self._files.dump_bytecode(bucket)


class PageTemplates(BaseEngine):
    """Gives a template in the language that is active. The options are those of Django's backend for Jinja2.

    A name may end with that of a block: `"energy/clients/list.html#table"` is that block alone, for htmx.
    """

    def __init__(self, params: dict[str, Any]) -> None:
        self._params = params.copy()
        self._options = dict(self._params.pop("OPTIONS"))
        self._code = SharedCode(self._options.pop("compiled_dir", None))
        super().__init__(self._params)
        self._engines: dict[str, Jinja2] = {}
        self._existing: dict[str, bool] = {}

    def from_string(self, template_code: str) -> Template:
        """A template from its text."""
        return self._engine(active_locale()).from_string(template_code)

    def get_template(self, template_name: str) -> Template:
        """Return the template, or the block, of that name.

        :raises django.template.TemplateDoesNotExist: there is no such file.
        :raises django.template.TemplateSyntaxError: the template has a mistake.
        """
        page, _, block = template_name.partition(BLOCK_MARK)
        template: Any = self._engine(active_locale()).get_template(page)
        if block:
            template.template = Block(template.template, block)
        return cast("Template", template)

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
        """Load every template in every language, compiled or from the folder, and import what renders them."""
        for language in LOCALES:
            engine = self._engine(language)
            # Django imports these modules with the first page that it renders.
            _ = engine.template_context_processors
            for name in self.environment(language).names():
                engine.get_template(name)

    def _engine(self, language: str) -> Jinja2:
        engine = self._engines.get(language)
        if engine is None:
            options = {
                **self._options,
                "bytecode_cache": self._code,
                "environment": _ENVIRONMENT,
                "loader": FileSystemLoader(self.dirs),
                "language": language,
            }
            # Of two threads that come here at once, both use the engine of the first.
            engine = self._engines.setdefault(language, Jinja2({**self._params, "OPTIONS": options}))
        return engine


def separate_environment() -> PageEnvironment:
    """Make an environment of the default language, which compiles its templates itself."""
    loader = FileSystemLoader(cast("PageTemplates", engines[PAGES]).dirs)
    return PageEnvironment(language=DEFAULT_LOCALE, loader=loader, autoescape=True)


def compile_templates() -> None:
    """Load all templates in all languages now, so that no request has to wait for that.

    Where the settings name a folder for compiled templates, one process compiles, and others read what it wrote there.
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
    """Render a template, or a block of one, with these variables alone, in the active language."""
    found = cast("PageTemplates", engines[PAGES]).get_template(template)
    return Markup(found.template.render({ZONE: get_current_timezone(), **variables}))  # noqa: S704  escaped

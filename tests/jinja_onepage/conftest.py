"""An environment of plain Jinja2 that joins its pages, as README.md of the package has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment, FileSystemLoader, StrictUndefined, nodes

from jinja_onepage import Joiner


class Loader(FileSystemLoader):
    """Finds `"page.html#title"`, the block alone, in the file of `"page.html"`."""

    def get_source(self, environment: Environment, template: str) -> Any:
        return super().get_source(environment, template.partition("#")[0])


class OnePageEnvironment(Environment):
    """Joins a page when it is compiled; with `joins_pages=False`, a block alone."""

    joins_pages = True

    def compile(self, source: Any, name: str | None = None, filename: str | None = None, *options: Any) -> Any:
        joiner = Joiner(name=name, filename=filename, load=self.part)
        block = (name or "").partition("#")[2]
        joined = joiner.join(self.parse(source, name, filename), block=block)
        tree = joined if block or self.joins_pages else self.parse(source, name, filename)
        tree.set_environment(self)
        return super().compile(tree, name, filename, *options)

    def part(self, name: str) -> nodes.Template:
        """The tree of a layout or part."""
        assert self.loader
        source, filename, _ = self.loader.get_source(self, name)
        return self.parse(source, name, filename)


NewEnvironment = Callable[..., OnePageEnvironment]


@pytest.fixture
def environment_of(tmp_path: Path) -> NewEnvironment:
    """Makes an environment of these templates, with or without joined pages."""

    def make(templates: Mapping[str, str], *, joins_pages: bool = True) -> OnePageEnvironment:
        for name, text in templates.items():
            (tmp_path / name).write_text(text)
        environment = OnePageEnvironment(loader=Loader(tmp_path), autoescape=True, undefined=StrictUndefined)
        environment.joins_pages = joins_pages
        return environment

    return make

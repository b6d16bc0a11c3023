"""Environments of a few templates in a folder of the test."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from jinja2 import FileSystemLoader, StrictUndefined

from portal.web.templating.backend import Block
from portal.web.templating.environment import BLOCK_MARK, MACROS, PageEnvironment

NewEnvironment = Callable[..., PageEnvironment]


@pytest.fixture
def environment_of(tmp_path: Path) -> NewEnvironment:
    """Makes an environment of these templates."""

    def make(templates: Mapping[str, str], *, language: str = "en", **options: Any) -> PageEnvironment:
        for name, text in {MACROS: "", **templates}.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        loader = FileSystemLoader(tmp_path)
        return PageEnvironment(language=language, loader=loader, autoescape=True, undefined=StrictUndefined, **options)

    return make


def shown(environment: PageEnvironment, name: str, **variables: object) -> str:
    """The HTML of a template, or of a block of one."""
    page, _, block = name.partition(BLOCK_MARK)
    template = environment.get_template(page)
    return Block(template, block).render(variables) if block else template.render(variables)

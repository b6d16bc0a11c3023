"""Environments of a few templates in a folder of the test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from jinja2 import StrictUndefined

from portal.web.templating.environment import MACROS, PageEnvironment, PageLoader

NewEnvironment = Callable[..., PageEnvironment]


@pytest.fixture
def environment_of(tmp_path: Path) -> NewEnvironment:
    """Makes an environment of these templates, with or without joined pages."""

    def make(
        templates: Mapping[str, str], *, joins_pages: bool = True, language: str = "en", **options: Any
    ) -> PageEnvironment:
        for name, text in {MACROS: "", **templates}.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        return PageEnvironment(
            language=language,
            joins_pages=joins_pages,
            loader=PageLoader(tmp_path),
            autoescape=True,
            auto_reload=not joins_pages,
            undefined=StrictUndefined,
            **options,
        )

    return make

"""Modules → source: a template, formatted by ruff, with the imports that are used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from django.template import Context, Engine

from portal.config.places import SOURCE_ROOT
from portal_dev.openapi.document import SchemaError
from portal_dev.openapi.names import comment, docstring

if TYPE_CHECKING:
    from collections.abc import Iterable

    from portal_dev.openapi.modules import Module

_IMPORTS: Final = """\
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal
from portal.query import CommonSort, ListParams, MutationGroup, OpenEnum, Params, Partial, QueryGroup, Record, Row
from portal.query import RowParams, Values, field, mutation_endpoint, paginated_query_endpoint, query_endpoint, resource
"""


def source_of(module: Module) -> str:
    """Return the module as source.

    :raises SchemaError: ruff is missing, or the source is no Python, which would be a fault of these modules.
    """
    imported = module.classes.imported.get(module.dotted, {})
    queries = {name: source for name, source in module.hooks.items() if name.endswith("_query")}
    mutations = {name: source for name, source in module.hooks.items() if name not in queries}
    groups = [("Query", f"{module.group}Queries", queries), ("Mutation", f"{module.group}Mutations", mutations)]
    notes = ["Not declared, or not whole:", *module.left_out] if module.left_out else []
    return rendered(
        "service",
        title=module.title,
        imports=_IMPORTS + "\n".join(f"from {origin} import {', '.join(names)}" for origin, names in imported.items()),
        classes=module.classes.declared.get(module.dotted, []),
        resources=module.resources,
        groups=[(kind, name, docstring(_listed(hooks)), hooks) for kind, name, hooks in groups if hooks],
        left_out="\n".join(comment(note) for note in notes),
    )


def rendered(template: str, **context: Any) -> str:
    """Return a module from a template, as this project's linter and formatter write it.

    :raises SchemaError: ruff is missing, or finds a fault.
    """
    text = Path(__file__).with_name(f"{template}.py-tpl").read_text()
    source = Engine(autoescape=False).from_string(text).render(Context(context, autoescape=False))
    # The names that are left stand on one line where they fit.
    options = ("--fix", "--select", "F401,I", "--config", "lint.isort.split-on-trailing-comma=false")
    return _by_ruff("format", source=_by_ruff("check", *options, source=_by_ruff("format", source=source)))


def _by_ruff(*command: str, source: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *command, "--quiet", "--stdin-filename", "services.py", "-"],
        input=source,
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=SOURCE_ROOT,
    )
    if done.returncode:
        raise SchemaError("", f"ruff can't format the declarations: {done.stderr.strip()}")
    return done.stdout


def _listed(names: Iterable[str]) -> str:
    *others, last = (f"`{name}`" for name in names)
    return f"{', '.join(others)} and {last}." if others else f"{last}."

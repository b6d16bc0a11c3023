"""Modules → source: a template, formatted by ruff, with the imports that are used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.template import Context, Engine

from portal.config.places import SOURCE_ROOT
from portal_dev.openapi.document import SchemaError
from portal_dev.openapi.names import comment, docstring

if TYPE_CHECKING:
    from portal_dev.openapi.modules import Module


def source_of(module: Module) -> str:
    """Return the module as source.

    :raises SchemaError: ruff is missing, or the source is no Python, which would be a fault of these modules.
    """
    groups = []
    for kind, name in (("Query", "Queries"), ("Mutation", "Mutations")):
        if hooks := {hook: source for hook, source in module.hooks.items() if hook.endswith(kind.lower())}:
            *others, last = (f"`{hook}`" for hook in hooks)
            listed = f"{', '.join(others)} and {last}." if others else f"{last}."
            groups.append((kind, f"{module.group}{name}", docstring(listed), hooks))
    notes = ["Not declared, or not whole:", *module.left_out] if module.left_out else []
    return rendered("service", module=module, groups=groups, left_out="\n".join(map(comment, notes)))


def rendered(template: str, **context: Any) -> str:
    """Return a module from a template, as this project's linter and formatter write it.

    :raises SchemaError: ruff is missing, or finds a fault.
    """
    text = Path(__file__).with_name(f"{template}.py-tpl").read_text()
    source: str = Engine(autoescape=False).from_string(text).render(Context(context, autoescape=False))
    # The names that are left stand on one line where they fit.
    options = ("--fix", "--select", "F401,I", "--config", "lint.isort.split-on-trailing-comma=false")
    for command in (("format",), ("check", *options), ("format",)):
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
        source = done.stdout
    return source

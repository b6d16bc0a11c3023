"""Modules → source, as a person would write it: formatted by ruff, with docstrings from the schema's descriptions."""

from __future__ import annotations

import re
import subprocess
import sys
import unicodedata
from typing import TYPE_CHECKING, Final

from portal.config.places import SOURCE_ROOT
from portal_dev.openapi.schema import SchemaError
from portal_dev.openapi.writing.names import IMPORTS, OPEN_ENUM, comment, docstring

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from portal_dev.openapi.writing.hooks import Hook
    from portal_dev.openapi.writing.modules import Module
    from portal_dev.openapi.writing.names import ClassAttribute, Declared

#: Characters of a line.
_WIDTH: Final = 120
#: Names of constants that a linter takes for secrets.
_SECRET: Final = re.compile(r"(^|_)(pas+wo?r?d|pass(phrase)?|pwd|token|secrete?)($|_)", re.IGNORECASE)


def source_of(module: Module) -> str:
    """The module as source.

    :raises SchemaError: ruff is missing, or the source is no Python, which would be a fault of these modules.
    """
    imports = {**IMPORTS, **{origin: sorted(names) for origin, names in module.imported.items()}}
    body = [line for part in _parts(module) for line in ("", "", *part)]
    return formatted(module.doc, imports, body)


def formatted(doc: str, imports: Mapping[str, Iterable[str]], body: Iterable[str]) -> str:
    """A module as this project's linter and formatter write it: with those of the imports that it uses, in order.

    :raises SchemaError: ruff is missing, or finds a fault.
    """
    lines = [f"from {origin} import {', '.join(names)}" for origin, names in imports.items()]
    head = [*docstring(doc, indent=""), "", "from __future__ import annotations", ""]
    # The names that are left stand on one line where they fit.
    options = ("--fix", "--select", "F401,I", "--config", "lint.isort.split-on-trailing-comma=false")
    source = _by_ruff("check", *options, source="\n".join([*head, *lines, *body, ""]))
    return "\n".join(map(_allowed, _by_ruff("format", source=source).split("\n")))


def _by_ruff(*words: str, source: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *words, "--quiet", "--stdin-filename", "services.py", "-"],
        input=source,
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=SOURCE_ROOT,
    )
    if "No module named ruff" in done.stderr:
        raise SchemaError(
            "", "formatting the declarations needs ruff, of the extra `dev`: pip install 'portal-library[dev]'"
        )
    if done.returncode:
        raise SchemaError("", f"the declarations are no Python: {done.stderr.strip()}")
    return done.stdout


def _allowed(line: str) -> str:
    """A line that nothing can make shorter says so. Of a line with one word alone the linter says nothing."""
    code = line.partition("  # noqa: ")[0]
    if len(code) <= _WIDTH or len(code.split()) == 1:
        return line
    return (
        line.replace("# noqa: ", "# noqa: E501, ", 1) if code != line else f"{line}  # noqa: E501  the backend's name"
    )


def _parts(module: Module) -> Iterator[list[str]]:
    for declared in module.classes:
        yield list(_class(declared))
    if module.resources:
        yield [f"{name} = {source}" for name, source in module.resources]
    for kind, is_query in (("Query", True), ("Mutation", False)):
        hooks = [hook for hook in module.hooks if hook.is_query is is_query]
        if hooks:
            yield list(_group(module.group, kind, hooks))
    if module.left_out:
        yield [line for text in ("Not declared, or not whole:", *module.left_out) for line in comment(text)]


def _class(declared: Declared) -> Iterator[str]:
    options = f", rename={declared.rename!r}" if declared.rename else ""
    yield f"class {declared.name}({declared.base}{options}):"
    yield from docstring(declared.doc, " ".join(declared.notes))
    if declared.attributes:
        yield ""
    for attribute in declared.attributes:
        yield from _member(attribute) if declared.base == OPEN_ENUM else _attribute(attribute)
    if declared.called:
        yield from ("", "    def __str__(self) -> str:", f"        return self.{declared.called} or self.id")


def _member(member: ClassAttribute) -> Iterator[str]:
    noqa = "  # noqa: S105  a value of the backend, no secret" if _SECRET.search(member.name) else ""
    yield f"    {member.name} = {_text(member.wire_name)}{noqa}"


def _attribute(attribute: ClassAttribute) -> Iterator[str]:
    if attribute.comment:
        start = "Any JSON: " if "Any" in attribute.kind else ""
        text = f"{start}{attribute.comment}."
        yield from comment(f"{text[:1].upper()}{text[1:]}", indent="    ")
    default = attribute.default
    if attribute.wire_name:
        options = [default.removeprefix("field(").removesuffix(")")] if default.startswith("field(") else []
        options += [f"default={default}"] if default and not options else []
        default = f"field({', '.join([*options, f'name={_text(attribute.wire_name)}'])})"
    yield f"    {attribute.name}: {attribute.kind}{f' = {default}' if default else ''}"


def _group(name: str, kind: str, hooks: list[Hook]) -> Iterator[str]:
    groups = {"Query": "Queries", "Mutation": "Mutations"}
    yield f"class {name}{groups[kind]}({kind}Group):"
    yield from docstring(f"{_listed(f'`{hook.name}`' for hook in hooks)}.")
    yield ""
    for hook in hooks:
        yield f"    {hook.name} = {hook.source}"


def _listed(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _text(text: str) -> str:
    """A text as source. Signs that a linter takes for other ones are escaped; letters of all languages stay."""
    signs = {
        each
        for each in text
        if not each.isascii() and (not each.isalpha() or not unicodedata.is_normalized("NFKC", each))
    }
    return "".join(ascii(each)[1:-1] if each in signs else each for each in repr(text))

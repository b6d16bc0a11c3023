"""Writes files from a folder that mirrors what is written: `platform_template/` and `product_template/`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

#: Keeps Python, pytest and the tests of the documentation from taking a template for a file of this repository.
_SUFFIX: Final = "-tpl"
#: A name that would hide the file from git's and the packaging's rules for the template itself.
_HIDDEN: Final = {"gitattributes": ".gitattributes", "gitignore": ".gitignore"}


def write_template(template: Path, root: Path, *, values: dict[str, str], only: tuple[str, ...] = ("",)) -> None:
    """Write files of a template below `root`, and replace those that are there.

    :param values: for each `{{ name }}` of a text, and for `app_name` and a first `services` in a path.
    :param only: beginnings of the folders to write.
    """
    for path in sorted(template.rglob("*")):
        folder = str(path.relative_to(template).parent).replace("app_name", values["app_name"])
        folder = re.sub(r"^services\b", values["services"], folder)
        if not path.is_file() or not f"{folder}/".startswith(only):
            continue
        name = path.name.removesuffix(_SUFFIX)
        target = root / folder / _HIDDEN.get(name, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = re.sub(r"\{\{ (\w+) \}\}", lambda found: values.get(found[1], found[0]), path.read_text())
        target.write_text(text)
        target.chmod(path.stat().st_mode)

"""YAML → JSON's types, by the rules of YAML 1.2. Needs PyYAML, a development dependency."""

from __future__ import annotations

import re
from typing import Any, Final

import yaml

#: What a text without quotes may be besides a text: tag, pattern, and the characters that it begins with. PyYAML's own
#: rules are those of YAML 1.1, in which `no` is False and `2026-01-01` a date.
_TYPES: Final = (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)", list("-+0123456789")),
    (
        "float",
        r"[-+]?(?:[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)?|\.[0-9]+(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+)",
        list("-+.0123456789"),
    ),
    ("merge", r"<<", ["<"]),
)


class _Loader(yaml.SafeLoader):
    """Reads the names of members as texts (`200:` is such a name), and refuses a name that stands twice."""

    # Without PyYAML's rules; those above are added below.
    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012  PyYAML's own type
    # JSON has no binary data, times and sets; any other tag is told of with its line.
    yaml_constructors = {  # noqa: RUF012  PyYAML's own type
        tag: construct
        for tag, construct in yaml.SafeLoader.yaml_constructors.items()
        if tag is None or tag.rpartition(":")[2] in {"null", "bool", "int", "float", "str", "seq", "map"}
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        if not isinstance(node, yaml.MappingNode):
            raise _error("a tag does not fit its value", node)
        names = set()
        for key, _value in node.value:
            if not isinstance(key.value, str):
                raise _error("the name of a member should be a text", key)
            if key.value in names:
                raise _error(f"{key.value!r} stands twice", key)
            names.add(key.value)
        self.flatten_mapping(node)
        return {key.value: self.construct_object(value, deep=deep) for key, value in node.value}


for _tag, _pattern, _first in _TYPES:
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"^(?:{_pattern})$"), _first)


def parsed_yaml(text: str) -> Any:
    """The document in a text.

    :raises ValueError: it is no YAML; the message names the line.
    """
    try:
        return yaml.load(text, _Loader)  # noqa: S506  a SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise ValueError(f"line {mark.line + 1 if mark else 1}: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None
    except LookupError:
        raise ValueError("a tag does not fit its value") from None


def _error(message: str, node: yaml.Node) -> yaml.MarkedYAMLError:
    return yaml.constructor.ConstructorError(problem=message, problem_mark=node.start_mark)

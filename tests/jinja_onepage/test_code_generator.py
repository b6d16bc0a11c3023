"""What is compiled into less Python writes what Jinja2 itself writes, but for None, which is written as nothing."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils.functional import lazystr
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import DictLoader, Environment, StrictUndefined, Undefined, UndefinedError
from markupsafe import Markup

from jinja_onepage import PageCodeGenerator, written


class PageEnvironment(Environment):
    code_generator_class = PageCodeGenerator
    written = staticmethod(written)


def rendered(
    text: str,
    *,
    by: type[Environment] = PageEnvironment,
    undefined: type[Undefined] = StrictUndefined,
    **values: object,
) -> str:
    loader = DictLoader({"macros.html": "{% macro bold(row) %}<b>{{ row.name }}</b>{% endmacro %}"})
    return by(autoescape=True, loader=loader, undefined=undefined).from_string(text).render(**values)


class Text(str):
    """No plain text."""

    __slots__ = ()


class Level(enum.IntEnum):
    HIGH = 3


class Html:
    def __html__(self) -> str:
        return "<i>html</i>"


class Written:
    def __str__(self) -> str:
        return "<written>"


VALUES = {
    "markup": "<b>\"Tom\" & 'Jerry'</b>",
    "other letters": "Çanakkale \u202e \x00 \ud800 🙂",
    "another kind of text": Text("<b>"),
    "another kind of plain text": Text("Ada"),
    "HTML": Markup("<b>&amp;</b>"),
    "plain HTML": Markup("Ada"),
    "a text that is made later": lazystr("<b>"),
    "an object that writes HTML": Html(),
    "an object that writes itself": Written(),
    "another kind of number": Level.HIGH,
    "list": ["<b>", None],
    "mapping": {"<a>": "'b'"},
}


TEMPLATES = pytest.mark.parametrize(
    "text", ["{{ value }}", "{{ row.value }}", "{{ value|string }}", "{{ value ~ '' }}"]
)


def assert_same(text: str, value: object) -> None:
    named = {"value": value, "row": SimpleNamespace(value=value)}
    assert rendered(text, **named) == rendered(text, by=Environment, **named)


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
@TEMPLATES
def test_a_value_is_written_as_jinja_writes_it(text: str, value: object) -> None:
    assert_same(text, value)


@TEMPLATES
@given(value=st.one_of(st.text(), st.integers(), st.floats(), st.booleans(), st.decimals(), st.binary()))
def test_so_is_any_other_value(text: str, value: object) -> None:
    assert_same(text, value)


@pytest.mark.parametrize(
    "text", ["{{ value }}", "{{ row.value }}", "{{ make() }}", "{{ value|first }}", "{{ row.value if row }}"]
)
def test_none_is_written_as_nothing(text: str) -> None:
    named = {"value": None, "row": SimpleNamespace(value=None), "make": lambda: None}
    assert rendered(f"<{text}>", **named | {"value": [None]} if "first" in text else named) == "<>"


@dataclass
class Client:
    name: str
    city: str | None = None
    parent: Client | None = None

    @property
    def broken(self) -> str:
        raise AttributeError("within the property")

    @property
    def shouted(self) -> str:
        return self.name.upper()

    def called(self, greeting: str) -> str:
        return f"{greeting} {self.name}"


class Items:
    """Has items, as a mapping has, and attributes."""

    name = "attribute"

    def __getitem__(self, key: str) -> str:
        if key in {"name", "city", "broken"}:
            return f"item {key}"
        raise KeyError(key)

    @property
    def broken(self) -> str:
        raise AttributeError("within the property")


ROWS = [Client("<Ada>"), Client("Ben", "Bern", parent=Client("Cy"))]
NAMES: Mapping[str, Any] = {
    "rows": ROWS,
    "row": ROWS[1],
    "by_name": {"name": "<item>", "items": "hidden by the method", "deep": {"er": {"still": "<deepest>"}}},
    "both": Items(),
    "make": lambda: Client("<made>"),
    "level": Level,
    "empty": SimpleNamespace(nothing="", zero=0, no=False, none=None),
}
LOOK_UPS = [
    "{{ row.name }}, {{ row.city }}, {{ row.shouted }}, {{ row.parent.name }}",
    "{{ row.called('<hi>') }}, {{ row.parent.called(row.name) }}",
    "{{ by_name.name }}, {{ by_name.deep.er.still }}, {{ by_name['deep'].er['still'] }}",
    "{{ both.name }}, {{ both.city }}, {{ both.broken }}",
    "{{ by_name.items is callable }}, {{ level.HIGH.value }}",
    "[{{ empty.nothing }}{{ empty.zero }}{{ empty.no }}]",
    "{{ make().name }}, {{ make().name.upper().lower() }}",
    "{{ (row.parent if row.city else row).name }}",
    "{{ row.parent.name if row.parent.name is defined and row.parent.parent is none }}",
    "{{ row.name|upper|replace(row.name.upper(), by_name.name) }}",
    "{{ rows|map(attribute='name')|join(', ') }}",
    "{% for each in rows if each.city %}{{ loop.index }}{{ loop.last }}{{ each.name }}{% endfor %}",
    (
        "{% for each in rows %}{% for other in rows if other.name != each.name %}{{ each.name }}{{ other.name }}{% endfor %}"
        "{{ each.name }}{% endfor %}"
    ),
    (
        "{% for each in [row] recursive %}{{ each.name }}{% if each.parent %}{{ loop([each.parent]) }}{% endif %}"
        "{% endfor %}"
    ),
    "{% set n = namespace(all='') %}{% for each in rows %}{% set n.all = n.all ~ each.name %}{% endfor %}{{ n.all }}",
    "{% set text %}<b>{{ rows[0].name }}</b>{% endset %}{{ text }}{{ text.upper() }}",
    (
        "{% macro m(each, name=row.name) %}{{ each.name }}{{ name }}{{ caller() }}{% endmacro %}"
        "{% call m(rows[0]) %}{{ row.name }}{% endcall %}"
    ),
    "{% from 'macros.html' import bold %}{% import 'macros.html' as all %}{{ bold(row) }}{{ all.bold(rows[0]) }}",
    "{% filter upper %}{{ rows[0].name }}{% endfilter %}",
    "{{ 'a<b' }}{{ 1.5 }}{{ row.name ~ '<' ~ row.parent.name }}{{ [row.name, rows[0].name] }}",
    "{{ row.nothing is defined }}{{ row.nothing|default('–') }}",
    "{{ {'name': rows[0].name}.name }}{{ row.name[0:rows[1].name.__len__()] }}",
]


@pytest.mark.parametrize("text", LOOK_UPS)
def test_a_name_is_looked_up_as_jinja_looks_it_up(text: str) -> None:
    assert rendered(text, **NAMES) == rendered(text, by=Environment, **NAMES)


@pytest.mark.parametrize(
    "text",
    [
        "{{ row.nothing }}",
        "{{ row.parent.nothing }}",
        "{{ row.nothing.more }}",
        "{{ by_name.nothing }}",
        "{{ both.nothing }}",
        "{{ row.broken }}",
        "{{ nothing.more }}",
        "{{ nothing }}",
    ],
)
def test_a_missing_name_is_told_where_none_may_be_missing_and_else_is_written_as_jinja_writes_it(text: str) -> None:
    with pytest.raises(UndefinedError) as ours:
        rendered(text, **NAMES)
    with pytest.raises(UndefinedError) as theirs:
        rendered(text, by=Environment, **NAMES)
    assert str(ours.value) == str(theirs.value)
    assert "nothing" in str(ours.value) or "broken" in str(ours.value)

    def lenient(by: type[Environment]) -> str:
        try:
            return rendered(text, by=by, undefined=Undefined, **NAMES)
        except UndefinedError as error:
            return str(error)

    assert lenient(PageEnvironment) == lenient(Environment)


@pytest.mark.parametrize(
    "text", ["{{ make() }}", "{{ make().name }}", "{{ make().parent.name }}", "{{ make().nothing is defined }}"]
)
def test_an_expression_is_evaluated_once(text: str) -> None:
    made: list[Client] = []

    def make() -> Client:
        made.append(Client("Ada", parent=Client("Ben")))
        return made[-1]

    rendered(text, make=make)
    assert len(made) == 1


@pytest.mark.parametrize("raised", [ValueError, KeyError, TypeError, RuntimeError])
def test_what_a_property_raises_is_not_hidden(raised: type[Exception]) -> None:
    class Row:
        @property
        def name(self) -> str:
            raise raised("of the property")

    row = Row()
    with pytest.raises(raised, match="of the property"):
        rendered("{{ row.name }}", row=row)


def test_what_is_written_of_a_text_that_needs_no_escaping_is_the_text_itself() -> None:
    text = "Grace Hopper"
    assert written(text) is text
    assert isinstance(written("<b>"), Markup)

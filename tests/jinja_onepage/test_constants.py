"""What is evaluated when a template is compiled, by functions and values of one's own."""

from __future__ import annotations

from typing import Any

import pytest
from jinja2 import Environment, TemplateAssertionError, nodes

from jinja_onepage import ConstantFolder

WORDS = {"Clients": "Kunden"}


def folded(text: str) -> nodes.Template:
    functions: dict[str, Any] = {"_": WORDS.__getitem__, "ngettext": max, "double": lambda number: number * 2}
    folder = ConstantFolder(functions=functions, values={"APP": "energy"}, name="page.html", filename=None)
    return folder.fold(Environment(autoescape=True).parse(text))


def rendered(text: str, **values: object) -> str:
    """The page without the functions: what is left of a call to them would fail."""
    tree = folded(text)
    own = Environment(autoescape=True)
    tree.set_environment(own)
    return own.template_class.from_code(own, own.compile(tree), {}).render(**values)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("{{ _('Clients') }}", "Kunden"),
        ("{{ double(4) }}", "8"),
        ("{{ APP ~ '/list.html' }}", "energy/list.html"),
        ("{{ double(double(4)) }}", "16"),
    ],
)
def test_a_call_of_constants_is_made_when_the_page_is_compiled(text: str, html: str) -> None:
    assert rendered(text) == html
    assert next(folded(text).find_all(nodes.Call), None) is None


def test_a_call_of_a_variable_is_left_to_the_page() -> None:
    assert next(folded("{{ double(number) }}").find_all(nodes.Call), None) is not None


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("{% set APP = 'own' %}{{ APP }}", "own"),
        ("{% for _ in [1, 2] %}{{ _ }}{% endfor %}", "12"),
        ("{% macro double(name) %}[{{ name }}]{% endmacro %}{{ double('plus') }}", "[plus]"),
    ],
)
def test_a_name_that_the_template_sets_is_its_own(text: str, html: str) -> None:
    assert rendered(text) == html


def test_a_call_that_fails_is_left_to_where_it_is_reached() -> None:
    assert rendered("{% if wanted %}{{ double() }}{% endif %}rest", wanted=False) == "rest"


@pytest.mark.parametrize("text", ["{{ _(word) }}", "{{ _(word ~ '!') }}", "{{ ngettext('one', words, 2) }}"])
def test_a_text_that_is_no_constant_is_refused_with_its_line(text: str) -> None:
    """It would be written without being escaped."""
    with pytest.raises(TemplateAssertionError, match="is a constant") as caught:
        folded(f"\n{text}")
    assert (caught.value.name, caught.value.lineno) == ("page.html", 2)


def test_a_text_whose_translation_fails_is_refused_when_the_page_is_compiled() -> None:
    with pytest.raises(TemplateAssertionError, match="can't be written"):
        folded("{{ _('Unknown') }}")

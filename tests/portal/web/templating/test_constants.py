"""What is evaluated when a template is compiled, and what is not."""

from __future__ import annotations

import pytest
from django.utils import translation
from jinja2 import TemplateAssertionError

from tests.portal.web.templating.conftest import NewEnvironment


def code_of(environment_of: NewEnvironment, text: str, *, language: str = "en") -> str:
    code = environment_of({}, language=language).compile(text, raw=True)
    assert isinstance(code, str)
    return code


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("{{ _('Clients') }}", "Kunden"),
        ("{{ url('clients') }}", "/de/energy/clients"),
        ("{{ static('energy/app.css') }}", "/static/energy/app.css"),
        ("{{ static(APP ~ '/app.css') }}", "/static/energy/app.css"),
        ("{% if _('Clients') == 'Kunden' %}yes{% endif %}", "yes"),
    ],
)
def test_a_call_of_constants_becomes_text(environment_of: NewEnvironment, text: str, html: str) -> None:
    assert html in code_of(environment_of, text, language="de")
    assert "context.call" not in code_of(environment_of, text, language="de")
    with translation.override("en"):
        assert environment_of({}, language="de").from_string(text).render() == html


def test_a_call_of_values_is_made_when_the_page_is_rendered(environment_of: NewEnvironment) -> None:
    template = environment_of({}).from_string("{{ url(route) }} {{ _('Delete %(name)s?', name=name) }}")
    with translation.override("de"):
        assert template.render(route="clients", name="<b>") == "/de/energy/clients &lt;b&gt; löschen?"


@pytest.mark.parametrize("text", ["{{ _(word) }}", "{{ _(word ~ '!') }}", "{{ ngettext('one', words, 2) }}"])
def test_a_text_that_is_no_constant_is_refused(environment_of: NewEnvironment, text: str) -> None:
    """It would be written without being escaped."""
    with pytest.raises(TemplateAssertionError, match="is a constant"):
        environment_of({}).from_string(text)


@pytest.mark.parametrize("text", ["{{ _('50 % of it') }}", "{{ _('%(name)s') }}", "\n{{ _('100%') }}"])
def test_a_text_that_does_not_fit_its_values_is_refused_with_its_line(
    environment_of: NewEnvironment, text: str
) -> None:
    with pytest.raises(TemplateAssertionError, match="can't be written") as caught:
        environment_of({}).from_string(text)
    assert caught.value.lineno == text.count("\n") + 1


def test_a_name_that_a_template_sets_itself_is_its_own(environment_of: NewEnvironment) -> None:
    environment = environment_of({})
    assert environment.from_string("{% for _ in [1, 2] %}{{ _ }}{% endfor %}").render() == "12"
    assert environment.from_string("{% set APP = 'mine' %}{{ APP }}").render() == "mine"
    own = "{% macro icon(name) %}[{{ name }}]{% endmacro %}{{ icon('plus') }}"
    assert environment.from_string(own).render() == "[plus]"


def test_a_call_that_fails_fails_only_where_it_is_reached(environment_of: NewEnvironment) -> None:
    template = environment_of({}).from_string("{% if wanted %}{{ url('no-such-page') }}{% endif %}rest")
    assert template.render(wanted=False) == "rest"
    with pytest.raises(Exception, match="no-such-page"):
        template.render(wanted=True)


@pytest.mark.parametrize("joins_pages", [True, False])
@pytest.mark.parametrize(
    "text",
    [
        "{{ value }}",
        "{{ row.city }}",
        "{{ row['city'] }}",
        "{{ row.get('city') }}",
        "{{ row.city if row else '' }}",
        "{{ row.get('town') or row.city }}",
    ],
)
@pytest.mark.parametrize(("value", "shown"), [(None, ""), (0, "0"), (False, "False"), ("<b>", "&lt;b&gt;")])
def test_a_variable_that_is_none_is_written_as_nothing(
    environment_of: NewEnvironment, text: str, value: object, shown: str, joins_pages: bool
) -> None:
    page = environment_of({}, joins_pages=joins_pages).from_string(f"[{text}]")
    assert page.render(value=value, row={"city": value}) == f"[{shown}]"

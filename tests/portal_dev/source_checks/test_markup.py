"""The HTML of a template, before it is rendered."""

from __future__ import annotations

from portal_dev.source_checks.markup import markup_of

SOURCE = """\
{# a comment
   of two lines #}
<p class="{% if x %}a{% endif %}"
   title="Hello {{ name }}">Text {{ value }} more</p>
{% trans %}
  A <b>translated</b> text
{% endtrans %}
{%- if y -%}
  <input type="submit" value="Send">
{% endif %}
{% raw %}{{ raw }}{% endraw %}
<script>if (a) { b("c"); }</script>
"""


def test_each_line_of_the_html_is_the_line_of_the_file() -> None:
    markup = markup_of(SOURCE)
    rows = markup.html.splitlines()
    assert len(rows) == len(SOURCE.splitlines())
    for text in ('title="Hello', 'type="submit"', "{{ raw }}", "<script>"):
        (line,) = [number for number, row in enumerate(SOURCE.splitlines()) if text in row]
        assert text in rows[line]


def test_attributes_know_their_line_and_their_element() -> None:
    found = {(each.element, each.name): each for each in markup_of(SOURCE).attributes}
    assert found["p", "title"].line == 4
    assert found["input", "value"].type == "submit"
    assert not any("b(" in text for _, text in markup_of(SOURCE).texts), "a script is no text"


def test_forms_that_send_post_have_their_contents() -> None:
    markup = markup_of(
        '<form><b>{{ a }}</b></form>\n<form method="POST" action="{{ b }}"><i id="{{ c }}">{{ d }}</i></form>{{ e }}'
    )
    (form,) = markup.forms
    assert form.line == 2
    assert [tag.source for tag in markup.tags_in(form.action)] == ["b"]
    assert [tag.source for tag in markup.tags_in(form.contents)] == ["c", "d"]

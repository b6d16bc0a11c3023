"""Django's forms (`FORM_RENDERER`): Django's own templates for Jinja2, and a plain `<input>` without a template.

The two give the same HTML. An `<input>` is most of what forms are made of, and its template costs a tenth of a page.
"""

from typing import Any, Final

from django.forms.renderers import Jinja2
from django.http import HttpRequest
from markupsafe import Markup, escape

#: Django's templates that are nothing but an `<input>`.
_INPUTS: Final = frozenset(
    f"django/forms/widgets/{name}.html" for name in ("input", "text", "email", "password", "hidden", "number")
)


class FormRenderer(Jinja2):
    """Renders a widget."""

    def render(self, template_name: str, context: dict[str, Any], request: HttpRequest | None = None) -> str:
        """The HTML of a widget."""
        if template_name not in _INPUTS:
            return super().render(template_name, context, request=request)
        widget = context["widget"]
        attributes = {"type": widget["type"], "name": widget["name"]}
        if widget["value"] is not None:
            attributes["value"] = widget["value"]
        # A browser takes the first of two attributes of one name. What nobody sees is not described.
        left_out = ("aria-",) if widget["type"] == "hidden" else ()
        given = {name: value for name, value in widget["attrs"].items() if not name.startswith(left_out)}
        return _input(attributes | given | attributes)


def _input(attributes: dict[str, Any]) -> Markup:
    """`True` makes an attribute without a value, `False` none, as in Django's own templates."""
    written = (
        f" {name}" if value is True else f' {name}="{escape(value)}"'
        for name, value in attributes.items()
        if value is not False
    )
    return Markup(f"<input{''.join(written)}>")  # noqa: S704  the values are escaped above

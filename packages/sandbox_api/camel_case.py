"""camelCase on the wire, snake_case in Python, without naming each field twice."""

from typing import Any, TypeVar

from django.db.models import Model
from rest_framework import serializers

TModel = TypeVar("TModel", bound=Model)


def camel(name: str) -> str:
    """`created_at` becomes `createdAt`."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


class CamelCaseSerializer(serializers.ModelSerializer[TModel]):
    """A model serializer that is written in the model's names and speaks those of the wire."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Give the fields under their names on the wire, each bound to the attribute it was declared for.

        `validate_created_at` is asked for `createdAt`: the framework looks for a rule by the name on the wire.
        """
        fields = {}
        for name, field in super().get_fields().items():
            wire_name = camel(name)
            if wire_name != name and field.source is None:
                field.source = name
            if (rule := getattr(self, f"validate_{name}", None)) is not None:
                setattr(self, f"validate_{wire_name}", rule)
            fields[wire_name] = field
        return fields

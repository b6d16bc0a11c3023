"""Text as it is compared: without case and accents, so that `sahin` finds `Şahin` and both sort together."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    TextField = models.TextField[str, str]
else:
    TextField = models.TextField  # takes no parameters when it runs

# Letters that have no decomposition into a base letter and a mark.
_PLAIN = str.maketrans({"ı": "i", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th"})


def fold(text: str) -> str:
    """Give the text as it is searched and sorted by, the same in SQLite and PostgreSQL."""
    decomposed = unicodedata.normalize("NFKD", text.casefold().translate(_PLAIN))
    bare = "".join(character for character in decomposed if not unicodedata.combining(character))
    return " ".join(bare.split())


class FoldedField(TextField):
    """Keeps other columns of the row folded; it fills itself on every save and bulk creation."""

    def __init__(self, *, sources: tuple[str, ...], **options: Any) -> None:
        self.sources = sources
        options["editable"] = False
        options["default"] = ""
        super().__init__(**options)

    def deconstruct(self) -> tuple[str, str, Any, dict[str, Any]]:
        """Say how to make this field, for migrations."""
        name, path, arguments, options = super().deconstruct()
        del options["editable"], options["default"]
        return name, path, arguments, {**options, "sources": self.sources}

    def pre_save(self, model_instance: models.Model, add: bool) -> str:  # noqa: ARG002 - Django's signature
        """Compute the value from the columns it keeps."""
        folded = fold(" ".join(str(getattr(model_instance, source) or "") for source in self.sources))
        setattr(model_instance, self.attname, folded)
        return folded

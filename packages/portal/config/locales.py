"""The languages that every application speaks (contract, section 5)."""

from __future__ import annotations

from typing import Final

#: Locale to its name in its own language; the first is the default.
LOCALES: Final[dict[str, str]] = {"en": "English", "de": "Deutsch", "tr": "Türkçe"}
DEFAULT_LOCALE: Final = "en"

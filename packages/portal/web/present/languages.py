"""What Babel keeps in memory about languages."""

from typing import cast

from babel.core import get_global
from django.conf.global_settings import LANGUAGES


def forget_other_languages() -> None:
    """Keep, of what Babel knows about 8,000 languages, what it asks for about those of Django: 2 MiB less."""
    ours = {code.partition("-")[0] for code, _ in LANGUAGES}
    likely = cast("dict[str, str]", get_global("likely_subtags"))
    kept = {code: tag for code, tag in likely.items() if code.partition("_")[0] in ours}
    # Emptied first: a dict from which keys are deleted stays as large.
    likely.clear()
    likely.update(kept)
    cast("dict[str, object]", get_global("territory_languages")).clear()

"""Words that pages of many apps show, listed for the catalogs: each is translated once, with the shared texts."""

from typing import Final

from django.utils.translation import gettext_noop as msgid

#: An app writes such a word as any text of its own, `_("Status")`, and its own catalog leaves it out.
COMMON_WORDS: Final = (
    msgid("Address"),
    msgid("Amount"),
    msgid("Cancelled"),
    msgid("City"),
    msgid("Created"),
    msgid("Description"),
    msgid("Email"),
    msgid("Name"),
    msgid("Overview"),
    msgid("Phone"),
    msgid("Status"),
    msgid("Title"),
)

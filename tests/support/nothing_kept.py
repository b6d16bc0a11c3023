"""Pages as a process shows them that keeps nothing of what it has rendered."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from unittest.mock import patch

from django.http.response import HttpResponseBase

from portal.web.templating.kept_parts import PartCache

#: The tokens of forms differ from one view to the next.
TOKEN: Final = re.compile(
    r'(?<=name="csrfmiddlewaretoken" value=")\w{64}(?=")|(?<=name="submissionKey" value=")[\w-]{22}'
)


@contextmanager
def nothing_kept() -> Iterator[None]:
    """Until the block ends, everything is rendered anew, and nothing of it is kept."""
    with patch.object(PartCache, "kept", lambda _self, make, *, key: make()):
        yield


@contextmanager
def no_time_passes() -> Iterator[None]:
    """Until the block ends, no page is rendered anew because of the time of the day."""
    with patch("portal.web.templating.kept_parts._QUARTER_S", 10**12):
        yield


def shown(response: HttpResponseBase) -> str:
    """The HTML without the tokens."""
    return TOKEN.sub("", b"".join(response).decode())

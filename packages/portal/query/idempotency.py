"""The `Idempotency-Key` of a write that its caller may send again."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def derived_key(given: str, *, endpoint: str, params: Mapping[str, Any], body: object) -> str:
    """The same for the same write, and another for any other one under the same given key.

    A backend refuses, or answers with the old result, what comes under a known key with another body.

    :param given: what the caller keeps of this write, such as the random key of a form.
    """
    # What JSON can't say fails when it is sent; until then any text will do.
    said = json.dumps([given, endpoint, dict(params), body], sort_keys=True, default=repr)
    return sha256(said.encode("utf-8", "surrogatepass")).hexdigest()

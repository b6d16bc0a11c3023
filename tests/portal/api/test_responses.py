"""Responses as data and errors."""

from __future__ import annotations

import pytest

from portal.api.responses import RawResponse, read_response
from portal.errors import ApiClientError, ApiValidationError


def test_errors_and_their_details_can_be_written_too():
    body = rb'{"detail": "bad \ud83d", "errors": {"name \ud83d": ["bad \ud83d"]}}'
    with pytest.raises(ApiValidationError) as caught:
        read_response(RawResponse(status=422, headers={}, content=body))
    assert caught.value.detail == "bad \ufffd"
    assert caught.value.errors == {"name \ufffd": ("bad \ufffd",)}
    with pytest.raises(ApiClientError, match="bad \ufffd"):
        read_response(RawResponse(status=402, headers={}, content=body))

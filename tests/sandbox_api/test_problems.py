from unittest.mock import patch

import pytest
from django.db import OperationalError

from sandbox_api.energy.views import ClientsView


def test_what_is_no_json_is_a_problem(energy, problem):
    odd = [
        b"{",
        b"\xff\xfe",
        b'{"name": NaN}',
        b'{"name": Infinity}',
        b'{"name": "\\ud800"}',
        b"[" * 100_000,
        b"1" * 5_000,
    ]
    for body in odd:
        answer = energy.post("/energy/clients", data=body, content_type="application/json")
        assert problem(answer, 400), body[:20]
    for body, fields in ((b"", ("name", "email")), (b"null", ("body",)), (b"[]", ("body",)), (b"1", ("body",))):
        answer = energy.post("/energy/clients", data=body, content_type="application/json")
        assert problem(answer, 422, *fields), body


def test_another_media_type_is_a_problem(energy, problem):
    for media_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        assert problem(energy.post("/energy/clients", data=b"name=x", content_type=media_type), 415)


@pytest.mark.parametrize("debug", [True, False])
def test_an_unexpected_error_is_a_problem_that_tells_nothing(energy, problem, settings, debug, caplog):
    settings.DEBUG = debug

    with patch.object(ClientsView, "rows", side_effect=RuntimeError("secret detail")):
        answer = energy.get("/energy/clients")
    assert problem(answer, 500)
    assert "secret" not in answer.content.decode()
    assert "secret detail" in caplog.text
    # Outside of the views too.
    assert problem(energy.get("/me", headers={"Host": "evil.test"}), 400)


def test_a_busy_database_asks_to_try_again(energy, problem):
    with patch.object(ClientsView, "rows", side_effect=OperationalError("database is locked")):
        answer = energy.get("/energy/clients")
    assert problem(answer, 503)
    assert answer.headers["Retry-After"] == "1"

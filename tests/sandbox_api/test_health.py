import pytest
from django.db import OperationalError, connection


@pytest.mark.django_db
def test_it_is_well_and_says_so_when_the_database_is_gone(anyone, problem, monkeypatch):
    def fail():
        raise OperationalError("gone")

    assert anyone.get("/healthz").json() == {"status": "ok"}
    with monkeypatch.context() as patch:
        patch.setattr(connection, "cursor", fail)
        assert problem(anyone.get("/healthz"), 503)

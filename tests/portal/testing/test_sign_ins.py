"""The accounts of a test."""

from collections import Counter

import pytest

from portal.testing import sign_ins


def test_accounts_differ_and_are_the_same_again(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []
    for _ in range(2):
        monkeypatch.setattr(sign_ins, "_accounts", Counter())
        runs.append([sign_ins.new_account() for _ in range(3)])
    assert runs[0] == runs[1]
    assert len({*runs[0]}) == 3

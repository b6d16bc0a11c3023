"""The mark by which a page and the watch tell accounts apart."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from portal.identity.users import user_from_claims
from portal.web.frame.account_tag import ACCOUNT_CHARS, account_mark


@dataclass(frozen=True)
class Facts:
    signed_in: bool
    user: object


def mark(subject: object, *, signed_in: bool = True) -> str | None:
    return account_mark(Facts(signed_in=signed_in, user=user_from_claims({"sub": subject})))


def test_an_account_has_one_mark_and_no_other_account_has_it():
    marks = [mark(subject) for subject in ("ada", "bob", "Ada", "ada ")]
    assert marks[0] == mark("ada")
    assert len(set(marks)) == len(marks)


def test_the_mark_does_not_say_who():
    assert mark("ada") == sha256(b"ada").hexdigest()[:ACCOUNT_CHARS]
    assert "ada" not in str(mark("ada"))


def test_nobody_has_no_mark():
    assert mark("ada", signed_in=False) is None
    assert mark("") is None
    assert mark(7) is None
    assert account_mark(Facts(signed_in=True, user=None)) is None


def test_any_text_can_be_a_subject():
    assert mark("\ud800") is not None

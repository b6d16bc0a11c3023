"""The tag by which a page and the sign-in watch tell accounts apart."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from portal.identity.users import user_from_claims
from portal.telemetry.audit.lines import TAG_CHARS
from portal.web.frame.shell import account_tag_of


@dataclass(frozen=True)
class User:
    signed_in: bool
    user: object


def tag_of(subject: object, *, signed_in: bool = True) -> str | None:
    return account_tag_of(User(signed_in=signed_in, user=user_from_claims({"sub": subject})))


def test_an_account_has_one_tag_which_does_not_name_it_and_no_other_account_has_it():
    tags = [tag_of(subject) for subject in ("ada", "bob", "Ada", "ada ", "\ud800")]
    assert tags[0] == tag_of("ada") == sha256(b"ada").hexdigest()[:TAG_CHARS]
    assert None not in tags
    assert len(set(tags)) == len(tags)


def test_without_a_known_subject_there_is_no_tag():
    assert tag_of("ada", signed_in=False) is None
    assert tag_of("") is tag_of(7) is None
    assert account_tag_of(User(signed_in=True, user=None)) is None

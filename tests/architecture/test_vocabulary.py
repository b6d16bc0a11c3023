"""The words that this project uses no more, each with the field's word that took its place.

docs/explanation/vocabulary.md has the words in use. A word is listed here only if it has no other meaning in this
repository.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__)

#: Old word, as a pattern, to the word in use.
OLD_WORDS = {
    # the refresh
    r"[Ff]lights|\bFlight\b|\bflight_|\bflown\b": "SingleFlight: join, run, set_result",
    r"\b[Ll]edgers?\b": "token records",
    r"[Hh]and-?over\b|HANDOVER|\bhanded over\b": "rotation record, successor",
    r"\b[Rr]enewals?\b|\bRenewed\b": "refresh attempt",
    r"DocumentExchange|OidcExchange|RefreshExchange": "TokenEndpoint",
    r"\b[Bb]ur(?:y|ial|ied)\b|is_buried": "revocation, mark_signed_out, is_signed_out",
    r"\bgenuine\b": "verified",
    r"judge_refusal|refuse_signed_out": "handle_401_after_refresh, sign_in_status",
    r"\b[Dd]eliverable\b": "tokens_to_set",
    r"\b[Ff]ates?\b": "token status",
    r"find_unusable|\bissued_tokens": "validate_issued_tokens",
    # identity and edge
    r"known_tokens|KnownTokens|TokenReading|\b[Uu]njudged\b|UNJUDGED": "token cache, unverifiable",
    r"ApiRejectedError|ApiRefusedError|ApiInvalidError": "ApiUnauthorizedError, ApiClientError, ApiValidationError",
    r"\bReply\b|ApiAnswer": "RawResponse, ApiResponse",
    r"RequestFacts|UserFacts|user_facts|facts_of|read_facts": "RequestContext, EdgeUser",
    r"\bSituation\b|way_of\b|read_route\b": "Evaluation, match_path",
    r"known_hosts|KnownHosts": "allowed hosts",
    # the query layer
    r"[Oo]wed[_ ][Pp]urges?|OwedPurges|\bowes? a purge": "pending purges",
    r"\bproofs?_of\b|_by_proof|\brefute\w*": "token binding: bind, rebind, unbind",
    r"list_cache": "patches",
    r"\b[Oo]utdat(?:e|es|ed|ing)\b|is_outdated|OUTDATED": "invalidate, invalidation",
    r"\b[Jj]udg(?:e|es|ed|ing)\b|judge_of": "row matcher, matches",
    r"shown_of|process_shared|shared_on": "merged pages, query runtime",
    r"\bcatalogue\b": "endpoint list",
    # the web layer and the rest
    r"platforms_mirror|withdraw_platforms": "platforms cookie, drop_if_signed_out",
    r"account_mark|request_parts": "account tag, request",
    r"leave_placeholder|leave_if_ended": "skip_profile, end_if_ended_at_provider",
    r"says_what_it_takes|keep_private": "with_405_page, no_store",
    r"begin_anew|forget_backend": "reset_after_fork, reset",
    r"\b[Ff]leets?\b": "server group",
    r"[Tt]raveller": "raw browser",
    # how sentences are made
    r"\b[Ss]eldom\b|\b[Ll]ikewise\b|\bfor good\b": "rarely, also, for ever",
}
FOLDERS = ("packages/portal", "packages/sqlite_cache", "packages/fork_safety", "apps", "tests", "benchmarks", "docs")
SUFFIXES = {".py", ".py-tpl", ".md", ".html", ".html-tpl", ".toml"}


#: Drawings of how things were, with the names of then.
BEFORE = re.compile(r"Before:\n(?:<!-- [^\n]* -->\n)?```\w+\n.*?^```$", re.DOTALL | re.MULTILINE)


def old_words_in(text: str, *, pattern: str) -> list[str]:
    """Each place of an old word, but for drawings of how things were."""
    return re.findall(pattern, BEFORE.sub("", text))


def files() -> list[Path]:
    """All that we write, but for this list."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    found += [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    return [path for path in found if path != HERE and "node_modules" not in path.parts]


@pytest.mark.parametrize("pattern", OLD_WORDS, ids=OLD_WORDS.values())
def test_no_old_word_is_left(pattern: str) -> None:
    left = [
        f"{path.relative_to(ROOT)}: {', '.join(sorted(set(words)))}"
        for path in files()
        if (words := old_words_in(path.read_text(), pattern=pattern))
    ]
    assert left == [], f"say {OLD_WORDS[pattern]}"


def test_an_old_word_is_found_wherever_it_stands() -> None:
    for old in ("self._flights", "the ledger", "is_outdated(page)", "Judge", "likewise"):
        assert any(old_words_in(old, pattern=pattern) for pattern in OLD_WORDS), old

"""A block that its own program would not take is found; CONTRIBUTING names each kind of block that there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.block_readers import READERS
from tests.support.doc_blocks import blocks_of, pages
from tests.support.harness import ROOT

RIGHT = {
    "env": "SECRET_KEY=x\n",
    "ini": "[Service]\nRestart=always\n",
    "json": '{"a": 1}\n{"b": 2}\n',
    "nginx": "location /static/ {\n    root /srv;\n}\n",
    "promql": "# requests\nsum by (app) (rate(portal_requests_total[5m]))\n",
    "toml": "a = 1\n",
    "yaml": "a: 1\n---\n- b\n",
}
WRONG = {
    "env": "APP_NOT_THERE=x\n",
    "ini": "Restart=always\n",
    "json": "{'a': 1}\n",
    "nginx": "locations /static/ {\n}\n",
    "promql": "sum by (app) (rate(portal_requests_total))\n",
    "toml": "a = \n",
    "yaml": "a: [1\n",
}


@pytest.mark.parametrize("language", READERS)
def test_a_block_is_taken_if_its_own_program_takes_it(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    READERS[language](RIGHT[language], tmp_path, monkeypatch)


@pytest.mark.parametrize("language", READERS)
def test_a_block_is_refused_if_its_own_program_refuses_it(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each reader raises what its program's library does.
    with pytest.raises(Exception, match=r"."):
        READERS[language](WRONG[language], tmp_path, monkeypatch)


def test_contributing_names_each_kind_of_block_that_is_read() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text().partition("## Code in pages")[2].partition("\n## ")[0]
    named = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| ([^|]*) \|", text, flags=re.MULTILINE))))
    assert named == {*READERS, "sh", "console", "log", "python", "diff", "html"}


def test_a_reason_stands_at_each_block_that_is_only_shown() -> None:
    shown = [block for page in pages() for block in blocks_of(page) if block.language == "text"]
    reasons = {block.id: block.reason for block in shown if not block.page.endswith("architecture.md")}
    assert len(reasons) >= 5
    assert [where for where, reason in reasons.items() if not reason] == []

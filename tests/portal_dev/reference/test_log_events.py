"""The events of the log are read from the source, and each is described for operators."""

from __future__ import annotations

import re
import tomllib

import pytest

from portal_dev.reference import log_events
from portal_dev.reference.log_events import LogEvent, events_of, markdown

SOURCE = """
import logging
from typing import Final

logger = logging.getLogger(__name__)
calls = logging.getLogger("portal.calls")
LATER: Final = "%s: later"

def work(error, level):
    logger.debug("not told")
    logger.info("not told either")
    logger.warning("slow: %s", error)
    logger.error(LATER, error)
    logger.exception("broken" if error else "torn")
    calls.log(level, "%d calls", 3)
    other.warning("somebody else's")
"""


def test_the_events_of_a_module_are_its_loggers_messages_from_warning_on() -> None:
    assert set(events_of(SOURCE, module="portal.slow")) == {
        LogEvent("portal.slow", "slow: %s", "WARNING"),
        LogEvent("portal.slow", "%s: later", "ERROR"),
        LogEvent("portal.slow", "broken", "ERROR"),
        LogEvent("portal.slow", "torn", "ERROR"),
        LogEvent("portal.calls", "%d calls", "WARNING"),
    }


def test_an_event_without_a_description_and_a_description_without_an_event_are_named(tmp_path, monkeypatch) -> None:
    text = log_events.MEANINGS.read_text()
    gone = '"portal.web.errors.failure_pages: the page of an error has a fault itself"'
    assert gone in text
    changed = tmp_path / "log_events.toml"
    changed.write_text(text.replace(gone, '"portal.nobody: says this"'))
    monkeypatch.setattr(log_events, "MEANINGS", changed)
    with pytest.raises(ValueError, match=r"does not describe 'portal\.web\.errors\.failure_pages: the page") as error:
        markdown()
    assert "describes 'portal.nobody: says this', which no code writes" in str(error.value)


def test_the_longest_beginning_of_a_message_on_the_page_stands_below_its_group() -> None:
    sections = dict(re.findall(r"^## (.+)\n((?:(?!## ).*\n?)*)", markdown(), flags=re.MULTILINE))
    heading_of = {
        shown.removesuffix(" …"): heading
        for heading, section in sections.items()
        for shown in re.findall(r"`([^`]+)`", section.strip().split("\n\n")[-1])
    }
    for group in tomllib.loads(log_events.MEANINGS.read_text())["group"]:
        for name in group["events"]:
            message = re.sub(r"%(?:\.\d+)?[a-z]", "…", name.partition(": ")[2]).replace("%%", "%").replace("`", "'")
            beginnings = [shown for shown in heading_of if f"{message} ".startswith(f"{shown} ")]
            assert beginnings, name
            assert heading_of[max(beginnings, key=len)] == group["heading"], name

"""Counts of one process."""

from __future__ import annotations

import multiprocessing

from portal.process.counters import Counters


def test_each_key_is_counted_and_any_other_is_zero():
    counters = Counters[str]()
    for key in ("ok", "timeout", "ok"):
        counters.count(key)
    counts = counters.snapshot()
    assert counts == {"ok": 2, "timeout": 1}
    assert counts["never"] == 0
    counters.count("ok")
    assert counts["ok"] == 2, "a snapshot does not change"


def test_a_child_process_counts_from_zero():
    counters = Counters[str]()
    counters.count("backend")
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    process = context.Process(target=lambda: answers.put(sum(counters.snapshot().values())))
    process.start()
    assert answers.get(timeout=30) == 0
    process.join(30)

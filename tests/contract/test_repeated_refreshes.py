"""A refresh whose answer was lost: the portal repeats it for no longer than the sandbox keeps its answer."""

from __future__ import annotations

from pathlib import Path

from portal.config.wire_names import HONOURS_IDEMPOTENCY_KEY, IDEMPOTENCY_WINDOW_S
from sandbox_api.environment import read_environment


def test_a_token_is_never_presented_again_when_its_answer_may_be_forgotten(tmp_path: Path) -> None:
    sandbox = read_environment(source={"DEBUG": "on", "SANDBOX_STATE_DIR": str(tmp_path)})
    assert sandbox.honour_idempotency_key is HONOURS_IDEMPOTENCY_KEY is True
    assert sandbox.refresh_replay_window.total_seconds() >= IDEMPOTENCY_WINDOW_S

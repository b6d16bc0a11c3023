"""A refresh whose response was lost: the portal repeats it only while the sandbox still keeps the response."""

from pathlib import Path

from portal.api import Backend
from sandbox_api.environment import read_environment


def test_a_token_is_never_submitted_again_when_the_backend_may_have_dropped_the_response(tmp_path: Path) -> None:
    sandbox = read_environment(source={"DEBUG": "on", "SANDBOX_STATE_DIR": str(tmp_path)})
    assert sandbox.honour_idempotency_key is True
    assert sandbox.refresh_replay_window.total_seconds() >= Backend.idempotency_window_s

"""`manage.py run`, which is `make run`: all five servers, started and stopped as one."""

import signal
import socket
from pathlib import Path

import pytest

from portal.config.projects import BACKEND_PORT_OFFSET
from portal_server.ports import answers, port_is_free
from tests.support.harness import prepare_sandbox
from tests.support.linked_environment import copy_with_environment, run_typed
from tests.support.local_run import Run
from tests.support.ports import free_port_base


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_stack_says_ready_and_stops_as_one(tmp_path: Path, number: signal.Signals) -> None:
    prepare_sandbox({"SANDBOX_STATE_DIR": str(tmp_path / "sandbox")})
    left_out = ("--without", "energy", "operations", "finance") if number == signal.SIGKILL else ()
    with Run(tmp_path, free_port_base(), *left_out) as run:
        run.wait_for("ready", seconds=120)
        if number == signal.SIGINT:
            assert all(answers(port) for port in run.ports)
        assert "data: there already" in run.lines, "it has seeded the sandbox"
        printed = "\n".join(run.lines)
        for email in ("energy", "operations", "finance", "all", "none"):
            assert f"{email}@example.com" in printed
        assert f"http://localhost:{run.port_base}" in printed
        run.process.send_signal(number)
        run.process.wait(timeout=5)
        if number == signal.SIGKILL:
            run.wait_until_nothing_is_left()
        assert run.left_behind() == []
        assert all(port_is_free("127.0.0.1", port) for port in run.ports)


def test_env_file_gives_ports_and_the_sandboxs_variables(tmp_path: Path) -> None:
    copy = copy_with_environment(tmp_path / "copy")
    base = free_port_base()
    (copy / ".env").write_text(f"PORT_BASE={base}\nSANDBOX_FAULT_REFRESH_503_RATE=often\n")
    done = run_typed("./manage.py run", folder=copy)
    assert "SANDBOX_FAULT_REFRESH_503_RATE should be a number from 0 to 1, not 'often'" in done.stderr
    (copy / ".env").write_text(f"PORT_BASE={base}\n")
    with socket.socket() as first, socket.socket() as second:
        for taken, port in ((first, base + 1), (second, base + BACKEND_PORT_OFFSET)):
            taken.bind(("127.0.0.1", port))
            taken.listen(1)
        done = run_typed("./manage.py run", folder=copy)
    told = f"taken: port {base + BACKEND_PORT_OFFSET} (sandbox_api), {base + 1} (energy)"
    assert done.stderr == f"CommandError: {told}; stop what listens there, or set PORT_BASE\n"

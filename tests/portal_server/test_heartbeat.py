"""A worker that lives and does not run is killed and replaced; one that waits is not."""

import os
import signal
from pathlib import Path

from tests.portal_server.test_workers import running

#: Seconds.
LIMIT = "import portal_server.workers as module\nmodule.SILENCE_LIMIT_S = 2"
#: The first worker holds Python's lock for ever.
LOOP = f"""
{LIMIT}
def begin():
    if Path(sys.argv[1]).read_text().count("began") == 1:
        sum(range(10 ** 15))
"""


def test_a_stopped_worker_is_killed_named_and_replaced_and_one_that_waits_lives_on(tmp_path: Path) -> None:
    with running(tmp_path, count=2, before=LIMIT) as parent:
        stopped, waits = parent.began(2)
        os.kill(stopped, signal.SIGSTOP)
        new = parent.began(3)[2]
        status, said = parent.stopped()
        assert (status, {int(pid) for (pid,) in parent.lines("finished")}) == (0, {waits, new})
        assert f"worker {stopped} lives and has not answered for 2 s: it is killed" in said
        assert "by itself" not in said


def test_a_worker_in_a_loop_that_keeps_pythons_lock_is_replaced(tmp_path: Path) -> None:
    with running(tmp_path, work="begin()", before=LOOP) as parent:
        looping, new = parent.began(2)
        status, said = parent.stopped()
        assert (status, {int(pid) for (pid,) in parent.lines("finished")}) == (0, {new})
        assert f"worker {looping} lives" in said


def test_a_stopped_worker_does_not_keep_a_server_that_is_told_to_stop(tmp_path: Path) -> None:
    limit = "import portal_server.workers as module\nmodule.STOPPING_SILENCE_LIMIT_S = 2"
    with running(tmp_path, count=2, before=limit) as parent:
        os.kill(parent.began(2)[0], signal.SIGSTOP)
        status, _ = parent.stopped()
        assert (status, len(parent.lines("finished"))) == (0, 1)

"""Runs a command. When this process ends, by itself or by a signal, no process that the command started is left.

    python tests/support/contained_run.py SECONDS COMMAND…

It exits as the command does, or with 124 when the time is over. It needs Linux: the kernel hands it each orphan.
"""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

#: The exit status of a command whose time was over, as GNU `timeout` has it.
TIME_IS_OVER = 124
#: How long a command goes on after Ctrl-C or SIGTERM; seconds.
LAST_WORDS_S = 60
#: `man 2 prctl`: a signal when the parent ends, and: orphans among the descendants become children.
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def main() -> int:
    """Run the command of the arguments; gives its exit status."""
    return run(sys.argv[2:], time_limit_s=float(sys.argv[1]))


def run(command: Sequence[str], *, time_limit_s: float, output: IO[str] | None = None) -> int:
    """The same in this process, which must have no other children. A signal ends it with status 1.

    :param output: takes what the command writes; None for where this process writes.
    """
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        # A session of its own: Ctrl-C in a terminal reaches this process alone.
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
        try:
            return process.wait(time_limit_s)
        except (KeyboardInterrupt, SystemExit) as end:
            # The command gets time to say what it knows, and to put away what it made. After a second signal it does not.
            process.send_signal(signal.SIGINT if isinstance(end, KeyboardInterrupt) else signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(LAST_WORDS_S)
            sys.exit(1)
    except subprocess.TimeoutExpired:
        return TIME_IS_OVER
    except KeyboardInterrupt:
        sys.exit(1)
    finally:
        _end_descendants()


def _end_descendants() -> None:
    """Kill all children, then those that became children by that, until there are none."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGTERM, signal.SIGINT)}
    with suppress(ChildProcessError):
        while True:
            for child in Path("/proc/self/task").glob("*/children"):
                for pid in child.read_text().split():
                    os.kill(int(pid), signal.SIGKILL)
            os.wait()
    for number, handler in before.items():
        signal.signal(number, handler)


if __name__ == "__main__":
    sys.exit(main())

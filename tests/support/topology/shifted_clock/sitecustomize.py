"""On PYTHONPATH, this shifts the time of day of a server by `CLOCK_SHIFT_S` seconds; monotonic clocks stay.

Shifted are `time.time` and what PyJWT takes for the time: the portal decides by these. The library libfaketime would shift
all of the process, but `time.sleep` fails with it.
"""

import datetime as dt
import os
import sys
import time

_shift_s = int(os.environ["CLOCK_SHIFT_S"])
_time, _time_ns = time.time, time.time_ns


class _ShiftedDatetime(dt.datetime):
    @classmethod
    def now(cls, tz=None):
        return dt.datetime.fromtimestamp(time.time(), tz)


time.time = lambda: _time() + _shift_s
time.time_ns = lambda: _time_ns() + _shift_s * 10**9

import jwt.api_jwt  # noqa: E402  it must find the time shifted

jwt.api_jwt.datetime = _ShiftedDatetime
sys.stderr.write(f"the time of day is shifted by {_shift_s:+d} s\n")

"""A backend of many users whose lists are as long as a search says: `?q=rows5000` has 5,000 rows, else there are 240.

python -m benchmarks._growth_backend PORT
"""

from __future__ import annotations

import functools
import re
import sys
from urllib.parse import parse_qs

from benchmarks._capacity_backend import user_of
from benchmarks._stub_backend import (
    FOUND,
    NOTHING_FOUND,
    PERMISSION,
    RESPONSES,
    ROWS,
    Call,
    Connection,
    response_of,
    serve,
)
from portal.config.contract_names import NOBODYS_WORD
from portal.testing.shapes import page_of, profile_of

CLIENTS = "/energy/clients"
_NUMBER_OF_ROWS = re.compile(r"rows(\d+)")


class _Connection(Connection):
    def answer(self, call: Call) -> bytes | None:
        self.calls["all"] += 1
        if call.method != "GET":
            return None
        if call.path == "/me":
            return response_of(200, profile_of(user_of(call), PERMISSION))
        if NOBODYS_WORD in call.query:
            return NOTHING_FOUND
        if call.path == CLIENTS:
            params = {name: values[0] for name, values in parse_qs(call.query).items()}
            asked = _NUMBER_OF_ROWS.fullmatch(params.get("q", ""))
            number = int(asked[1]) if asked else FOUND[CLIENTS]["total"]
            first = int(params.get("cursor", "after-0").removeprefix("after-"))
            return _page(first, int(params.get("limit", len(ROWS))), number)
        return RESPONSES.get(call.path)


@functools.lru_cache(maxsize=1000)
def _page(first: int, limit: int, number: int) -> bytes:
    """Rows from `first` on, of so many."""
    end = min(first + limit, number)
    rows = [{**ROWS[each % len(ROWS)], "id": f"cli_{each + 1:08d}"} for each in range(first, end)]
    return response_of(200, page_of(rows, next_cursor=f"after-{end}" if end < number else None, total=number))


if __name__ == "__main__":
    serve(_Connection, int(sys.argv[1]))

"""A proxy between the projects and the backend, which records the fate of every token.

It changes nothing, unless a scenario has it answer refreshes with rubbish, or hold the calls to an endpoint.
"""

import contextlib
import http.client
import itertools
import json
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from tests.support.backend_proxy import HOP_BY_HOP
from tests.support.serving import Call, Reply, serving

#: Answers after which a token may be submitted again: the backend has not looked at it.
NOT_LOOKED_AT = frozenset({429, 502, 503, 504})
#: Answers that are no verdict on a token: status, type, body.
RUBBISH = (
    (500, "application/json", b'{"detail": "boom"}'),
    (200, "application/json", b'{"status": "maintenance"}'),
    (200, "text/html", b"<!doctype html><title>Back soon</title>"),
    (200, "application/json", b'[{"data": {"accessToken": "a", "refreshToken": "r"}}]'),
    (404, "text/html", b"<!doctype html><title>Not found</title>"),
    (429, "application/json", b"{}"),
)
#: Longer than any caller waits, seconds.
HELD_S = 60


@dataclass
class TokenRecorder:
    """Records of all tokens.

    :param submitted: refresh token to the number of times that the backend looked at it.
    :param granted: refresh token to the different refresh tokens that it was exchanged for.
    :param refused: refresh token to the number of refusals.
    :param issued: every token that was ever issued.
    :param rubbish: whether refreshes get rubbish, instead of or after the backend's own answer.
    :param hangs: path of an endpoint whose calls are held until `goes_on`; empty for none.
    """

    backend_port: int
    url: str = ""
    not_looked_at: int = 0
    submitted: Counter[str] = field(default_factory=Counter)
    granted: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    refused: Counter[str] = field(default_factory=Counter)
    issued: set[str] = field(default_factory=set)
    rubbish: Literal["instead", "after"] | None = None
    hangs: str = ""
    goes_on: threading.Event = field(default_factory=threading.Event)
    heap: Iterator[tuple[int, str, bytes]] = field(default_factory=lambda: itertools.cycle(RUBBISH))
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, call: Call) -> Reply | None:
        """Return the backend's answer, or rubbish in place of its answer to a refresh; None if there is no answer."""
        if call.path == self.hangs:
            self.goes_on.wait(HELD_S)
        rubbish = self.rubbish if call.path == "/refresh" else None
        try:
            reply = Reply(0) if rubbish == "instead" else self._ask_backend(call)
        except (OSError, http.client.HTTPException):
            return None
        with self.lock:
            if rubbish:
                self._issue(reply.body)
                self.not_looked_at += 1
                status, kind, content = next(self.heap)
                return Reply(status, content, [("Content-Type", kind)])
            if call.path == "/refresh":
                self._record(call.data()["refreshToken"], reply)
            elif call.path == "/auth/login":
                self._issue(reply.body)
        return reply

    def _ask_backend(self, call: Call) -> Reply:
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.backend_port, timeout=30)) as backend:
            headers = {name: value for name, value in call.headers.items() if name not in HOP_BY_HOP | {"host"}}
            backend.request(call.method, call.target, body=call.body or None, headers=headers)
            with backend.getresponse() as answer:
                forwarded = [(name, value) for name, value in answer.getheaders() if name.lower() not in HOP_BY_HOP]
                return Reply(answer.status, answer.read(), forwarded)

    def _issue(self, body: bytes) -> str | None:
        """Record the tokens of an answer, and return its refresh token."""
        with contextlib.suppress(ValueError, KeyError, TypeError):
            tokens = json.loads(body)
            self.issued |= {tokens["accessToken"], tokens["refreshToken"]}
            return str(tokens["refreshToken"])
        return None

    def _record(self, token: str, reply: Reply) -> None:
        granted = self._issue(reply.body) if reply.status == http.client.OK else None
        if reply.status in NOT_LOOKED_AT:
            self.not_looked_at += 1
            return
        self.submitted[token] += 1
        if granted is None:
            self.refused[token] += 1
        else:
            self.granted[token].add(granted)

    @property
    def refreshes(self) -> int:
        """Number of tokens that were exchanged."""
        return len(self.granted)

    @property
    def repeats(self) -> int:
        """Number of submissions that the backend answered as before, by their Idempotency-Key."""
        return sum(self.submitted[token] - self._uses(token) for token in self.submitted)

    @property
    def most_per_token(self) -> int:
        """Number of uses of the most used token: each different answer to it is a use."""
        return max((self._uses(token) for token in self.submitted), default=0)

    def _uses(self, token: str) -> int:
        return len(self.granted.get(token, ())) + self.refused[token]


@contextlib.contextmanager
def recording_tokens(backend_port: int) -> Iterator[TokenRecorder]:
    """Run a recorder in front of the backend on this port of the machine."""
    recorder = TokenRecorder(backend_port)
    with serving(recorder.answer) as server:
        recorder.url = server.url
        yield recorder

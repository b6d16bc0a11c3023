"""A world for the tests of the query layer: one backend, one store, processes that share them, and their users.

Its clock moves only when a test says so, and what a process has to do behind its requests waits until the test runs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from portal.api.tokens import TokenStore
from portal.query import QueryClient, create_query_client
from portal.query.calls import Retries
from portal.query.process_state import QueryRuntime
from tests.portal.query.fakes import FakeBackend, FakeStore, WorkLater
from tests.support.client_endpoints import REGISTRY
from tests.support.fake_clock import FakeClock


@dataclass
class World:
    """One backend, one store, and as many processes, users and requests as a test wants.

    :param background: what all processes have to do behind their requests.
    :param options: of the runtime of each process (`QueryRuntime`). Names of caches are the same in each run, since two
        variants of a list may have one place.
    """

    backend: FakeBackend = field(default_factory=FakeBackend)
    store: Any = field(default_factory=FakeStore)
    clock: FakeClock = field(default_factory=FakeClock)
    waits: list[float] = field(default_factory=list)
    background: WorkLater = field(default_factory=WorkLater)
    options: dict[str, Any] = field(default_factory=lambda: {"random_below": Random(0).randrange})

    def process(self, **options: Any) -> Process:
        runtime = QueryRuntime(self.store, **{"pool": self.background, **self.options, **options})
        return Process(world=self, runtime=runtime)


@dataclass
class Process:
    """One worker process."""

    world: World
    runtime: QueryRuntime

    def request(self, tokens: TokenStore, **options: Any) -> QueryClient:
        """The client of a new request with these tokens."""
        return self.request_with(TokenStore(tokens.current), **options)

    def request_with(self, tokens: TokenStore, **options: Any) -> QueryClient:
        """The same, where a test changes the tokens while the request goes on, or looks at what became of them."""
        world = self.world
        return create_query_client(
            tokens=tokens,
            api=world.backend,
            runtime=self.runtime,
            clock=options.pop("clock", world.clock),
            registry=options.pop("registry", REGISTRY),
            retries=Retries(sleep=world.waits.append, spread=lambda: 0.5),
            **options,
        )


@dataclass
class User:
    """A user's requests in one process. Each :meth:`request` is a new one."""

    process: Process
    tokens: TokenStore
    registry: Any = field(default_factory=lambda: REGISTRY)

    @property
    def world(self) -> World:
        return self.process.world

    @property
    def backend(self) -> Any:
        return self.world.backend

    @property
    def store(self) -> Any:
        return self.world.store

    def request(self, **options: Any) -> QueryClient:
        return self.process.request(self.tokens, **{"registry": self.registry, **options})

    def elsewhere(self, **options: Any) -> User:
        """The same user in another process."""
        return replace(self, process=self.world.process(**options))

    def signed_in(self, name: str = "ada") -> User:
        """Another sign-in, of this user or of another one, in the same process."""
        return replace(self, tokens=self.backend.sign_in(name))

    def passes(self, seconds: float) -> None:
        self.world.clock.now += seconds

    @contextmanager
    def reads(self, expected: int) -> Iterator[None]:
        """So many GET requests but for the profile reach the backend meanwhile, whoever sends them."""
        before = self.backend.reads()
        yield
        assert self.backend.reads() - before == expected

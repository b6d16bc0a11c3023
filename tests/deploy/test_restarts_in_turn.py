"""Two servers of a project behind nginx, restarted in turn while people read and write: each request is answered."""

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
import requests

from tests.support.harness import require_tool, tokens_of
from tests.support.nginx_server import names_lead_here
from tests.support.ports import free_port_base
from tests.support.topology import DOMAIN, OFFSETS, Person, Topology, running_topology

EMAIL = "energy@example.com"
PEOPLE = 2
#: Times that both servers are restarted, and seconds between two requests of one person.
ROUNDS, PAUSE_S = 1, 0.2
#: The first part of the name of each client that is made here.
MARK = "Made While Restarting"


@pytest.fixture(scope="module")
def topology(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Topology]:
    require_tool("nginx")
    folder, base = tmp_path_factory.mktemp("restarts"), free_port_base(*OFFSETS)
    with (
        running_topology(folder, port_base=base, redis=False, apps=("energy",)) as running,
        names_lead_here(DOMAIN),
    ):
        yield running


@dataclass
class Visitor:
    """Somebody who opens the list of clients, and makes a client, again and again."""

    number: int
    topology: Topology
    answers: Counter[tuple[str, int]] = field(default_factory=Counter)
    made: int = 0

    def visit(self, done: threading.Event) -> None:
        clients = f"{self.topology.url('energy')}/en/energy/clients"
        with Person(self.topology.authority) as person:
            person.take(tokens_of(EMAIL, backend=backend_of(self.topology)), domain=f".{DOMAIN}")
            while not done.wait(PAUSE_S):
                self._count("GET", person.get(clients, follow=False))
                form = self._count("GET", person.get(f"{clients}/new", follow=False))
                fields = {
                    "name": f"{MARK} {self.number}-{self.made}",
                    "email": f"made-{self.number}-{self.made}@example.com",
                }
                self._count("POST", person.submit(form, "/clients/new", follow=False, **fields))
                self.made += 1

    def _count(self, method: str, answer: requests.Response) -> requests.Response:
        self.answers[method, answer.status_code] += 1
        return answer


def backend_of(topology: Topology) -> str:
    return f"http://127.0.0.1:{topology.backend.port}"


def made_at_the_backend(topology: Topology) -> int:
    """Return the number of clients that are there."""
    backend = backend_of(topology)
    bearer = {"Authorization": f"Bearer {tokens_of(EMAIL, backend=backend)['accessToken']}"}
    url = f"{backend}/energy/clients"
    page = requests.get(url, params={"q": MARK, "limit": 1}, headers=bearer, timeout=60).json()
    return int(page["total"])


@pytest.mark.timeout(600)
def test_no_page_and_no_form_is_lost_and_none_is_done_twice(topology: Topology) -> None:
    visitors = [Visitor(number, topology) for number in range(PEOPLE)]
    done = threading.Event()
    threads = [threading.Thread(target=visitor.visit, args=(done,)) for visitor in visitors]
    for thread in threads:
        thread.start()
    try:
        for _ in range(ROUNDS):
            for name in ("energy-1", "energy-2"):
                topology.restart(name)
    finally:
        done.set()
        for thread in threads:
            thread.join()
    answers = sum((visitor.answers for visitor in visitors), Counter())
    made = sum(visitor.made for visitor in visitors)
    assert set(answers) == {("GET", 200), ("POST", 303)}, answers
    assert answers["POST", 303] == made > ROUNDS * PEOPLE
    assert made_at_the_backend(topology) == made

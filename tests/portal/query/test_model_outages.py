"""The state machine of `query_machine`, with tokens that change and outages of the store.

A write in an outage can't be logged. The same browser must see it all the same, by whatever process and with whatever
token it comes back.
"""

from hypothesis import strategies as st
from hypothesis.stateful import rule

from portal.api.tokens import TokenStore
from tests.portal.query.query_machine import QueryMachine, run_machine
from tests.support.client_endpoints import ClientQueries


class OutageMachine(QueryMachine):
    """More actions. One browser: once it has another token, it does not use the one before."""

    @rule()
    def a_sign_in_begins(self) -> None:
        self.ada = self.world.backend.sign_in("ada")

    @rule(process=st.integers(0, 1))
    def the_token_is_renewed(self, process: int) -> None:
        old, pair = self.ada.current, self.world.backend.sign_in("ada").current

        def refresh(tokens: TokenStore) -> None:
            if tokens.current.access == old.access:
                tokens.rotate(pair, replaced=old.refresh or "")

        self.world.backend.refresh = refresh
        ClientQueries.use_get_clients_query(self.processes[process].request(self.ada))
        self.world.backend.refresh = None
        self.ada = TokenStore(pair)

    @rule(
        what=st.sampled_from(["read", "rename", "delete", "create"]),
        process=st.integers(0, 1),
        number=st.integers(0, 5),
    )
    def something_is_done_in_an_outage(self, what: str, process: int, number: int) -> None:
        self.world.store.down = True
        self.run_nested(what, process, number)
        self.world.store.down = False
        # Until a process is used again, nobody knows what it could not tell.
        self.world.store.before_each = None
        ClientQueries.use_get_clients_query(self.processes[process].request(self.world.backend.sign_in("ben")))


def test_reads_in_outages_miss_no_completed_write() -> None:
    run_machine(OutageMachine)


def test_added_row_is_as_new_as_a_later_touch() -> None:
    """The list's pages do not reach the first created row, which a write without a patch has changed since."""
    machine = QueryMachine()
    machine.start()
    for _ in range(4):
        machine.create(process=0, name="a", nested=[])
    machine.create(process=0, name="a", nested=[("read", 0, 0, "inside"), ("touch", 0, 3, "before")])

"""Tools that one process has for itself: time, threads, and what to do while a server does not answer. No Django.

    SingleFlight        single_flight.py    one call for all threads that ask for the same thing at once; `finish_calls`
    Pool                thread_pool.py      a bounded number of threads for work beside a request
    CircuitBreaker      circuit_breaker.py  while a server does not answer, one caller a second asks it
    Deadline            deadline.py         a time limit that several steps share, and a part of it
    Slots, waits_for    slots.py            a request that waits for a server releases its slot to another one
    Clock               deadline.py         the time functions, as an object that a test can replace

No module of this package imports another one. `fork_safety` resets locks and threads in a child process.
"""

from portal.process.circuit_breaker import Admission, CircuitBreaker, call_circuits, store_circuits
from portal.process.deadline import Clock, Deadline
from portal.process.single_flight import NoThreadError, SharedCall, SingleFlight, finish_calls
from portal.process.slots import Slots, one_of, waits_for
from portal.process.thread_pool import Pool

"""Looks of `doctor`: one module for each subject, with functions that give Django's check messages and never raise.

::

    examination     the subjects in their order; the environment, the system checks, versions, state folder, disk
      servers       the backend, the key set, the OpenID provider: name, connection, TLS, answer, clock
      backend_calls  `/me` and the required calls; what is declared to be offered, held against what is there
        offers       what a running backend has of the optional calls and parameters
      stores        what they are, their room and speed, and that `add` is atomic: tried with processes and threads
        findings    the messages, and the clock of a server
"""

from portal_operate.doctor.backend_calls import caller_with
from portal_operate.doctor.examination import LIVE, SUBJECTS, SYSTEM_CHECKS, check_live, examine
from portal_operate.doctor.findings import WORDS
from portal_operate.doctor.offers import Probe, write_offers

"""What `doctor` looks at: one module for each subject, with functions that give findings and never raise.

::

    examination     which subjects, in which order; the environment, the system checks, versions, state folder, disk
      servers       the backend, the key set, the OpenID provider: name, connection, TLS, answer, clock
      backend_calls  `/me` and the required calls; what is declared to be offered, held against what is there
        offers       what a running backend has of the optional calls and parameters
      stores        what they are, their room and speed, and that `add` is atomic: tried with processes and threads
        findings    Finding, Level, Patient
"""

from portal_operate.doctor.backend_calls import caller_with
from portal_operate.doctor.examination import examine
from portal_operate.doctor.findings import Finding, Level
from portal_operate.doctor.offers import Probe, write_offers

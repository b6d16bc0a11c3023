"""What `doctor` looks at: one module for each subject, with functions that give findings and never raise.

::

    examination     which subjects, in which order
      settings      the environment, the system checks, versions
      servers       the backend, the key set, the OpenID provider: name, connection, TLS, answer, clock
      stores        what they are, their room and speed, and that `add` is atomic: tried with processes and threads
      machine       the state folder, the disk
        findings    Finding, Level, Patient
"""

from portal.administration.doctor.examination import examine
from portal.administration.doctor.findings import Finding, Level

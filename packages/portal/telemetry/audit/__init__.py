"""The audit log: who signed in, from where, and how it ended; who changed whose permissions. Imports go down.

::

    audit_log       write(): the one line of an event. Outside of a request too
      events        the events, the reasons, the fields
    lines           the form of a line, with hashes of accounts and of entered names; the file that takes it

Reference: docs/reference/audit-log.md. Why so: docs/adr/0043-the-audit-log.md.
"""

from portal.telemetry.audit.audit_log import AuditedRequest, audited_request, write
from portal.telemetry.audit.events import FIELDS, OUTCOMES, AuditEvent, AuditFields, Reason
from portal.telemetry.audit.lines import AuditFile, JsonLine, entered_name_tag, kept_address, kept_user_agent, tag_of

"""What a backend may name or shape otherwise than the contract: one class, and its methods called with care.

::

    wire_calls          calls of the query layer, as they go over the wire; each method of the class, with an error that
                        names it where it fails
      backend_class     Backend, with the contract's shapes as defaults; which one this process has
"""

from portal.api.backend.backend_class import (
    CONTRACT,
    PASSWORD_RESET,
    Backend,
    BackendProblem,
    FormBody,
    ListQuery,
    QueryParams,
    backend_of,
    current_backend,
    honours_idempotency_key,
    is_named,
    split_values,
)
from portal.api.backend.wire_calls import build_body, encode_body, read_error, read_tokens, wire_read, wire_write

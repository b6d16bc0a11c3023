"""What a backend may name or shape otherwise than the contract: one class, and its methods called with care.

::

    checked_methods     each method of the class, with an error that names it where it fails
      backend_class     Backend, with the contract's shapes as defaults; which one this process has
"""

from __future__ import annotations

from portal.api.backend.backend_class import (
    CONTRACT,
    Backend,
    Form,
    ListQuery,
    Problem,
    QueryParams,
    backend_of,
    current_backend,
    split_values,
)
from portal.api.backend.checked_methods import (
    EncodedBody,
    build_body,
    build_list_params,
    read_error,
    read_page,
    read_profile,
    read_tokens,
)

"""On PYTHONPATH, this tells a project that its backend does not honour the Idempotency-Key."""

from portal.config import contract_names as contract

contract.HONOURS_IDEMPOTENCY_KEY = False  # type: ignore[misc]  what is tried is another backend

"""What the backend offers, declared: one module per resource, one folder per domain.

Addresses and shapes: contract, section 7. Of a row only `id` is required; the other fields are named for those
who read them, and fields that are not named are kept as they come.
"""

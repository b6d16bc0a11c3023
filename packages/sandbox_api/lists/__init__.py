"""Lists: search, filters, sort orders and cursors, the same for every resource (contract, section 7)."""

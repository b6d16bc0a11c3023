"""Management commands, and the entry that chooses whose settings they run in."""

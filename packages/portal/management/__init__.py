"""Management commands, and the entry that chooses the project whose settings they use."""

"""Identity and access management."""

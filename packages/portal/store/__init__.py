"""What processes share: the embedded cache backend, and the one door to Django's cache."""

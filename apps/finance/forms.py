"""The forms of the finance app: none yet."""

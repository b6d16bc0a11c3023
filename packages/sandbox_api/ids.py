"""Row ids: a prefix that tells what it is, and 20 random characters. They sort the same in every database."""

import secrets

ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
ID_LENGTH = 20
MAX_ID_LENGTH = 32


def new_id(prefix: str) -> str:
    """Give a fresh id, such as `cli_4k1v…` (103 bits)."""
    return f"{prefix}_{''.join(secrets.choice(ALPHABET) for _ in range(ID_LENGTH))}"


class RowIdConverter:
    """The path converter for ids. Anything else, `../me` say, is no address at all: a 404."""

    regex = r"[0-9A-Za-z_-]{1,32}"

    def to_python(self, value: str) -> str:
        """Give the id as it stands in the path."""
        return value

    def to_url(self, value: str) -> str:
        """Give the id as it stands in the path."""
        return value

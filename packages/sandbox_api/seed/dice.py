"""Random numbers that are the same each time."""

from datetime import datetime, timedelta
from random import Random

from sandbox_api.ids import ALPHABET, ID_LENGTH


class Dice(Random):
    """A stream of its own for each kind of row: more of one kind changes nothing in another."""

    def __init__(self, stream: str) -> None:
        super().__init__(f"sandbox_api seed 1: {stream}")

    def row_id(self, prefix: str) -> str:
        """Give an id as the models do."""
        return f"{prefix}_{''.join(self.choices(ALPHABET, k=ID_LENGTH))}"

    def chance(self, probability: float) -> bool:
        """Tell whether something that likely happens."""
        return self.random() < probability

    def moment(self, *, before: datetime, within: timedelta, skew: float = 1.0) -> datetime:
        """Give a time in the span that ends at `before`; a skew above 1 prefers the end of it."""
        share: float = self.random() ** skew
        return before - within * share

    def near(self, centre: float, *, spread: float, least: float, most: float) -> float:
        """Give a number near `centre`, inside of the limits."""
        return min(most, max(least, self.gauss(centre, spread)))

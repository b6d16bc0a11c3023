"""What a filter or a range says, read from its text."""

from datetime import UTC, datetime

MAX_VALUES = 100
_SEPARATOR = ","
_ESCAPE = "\\"


def split_values(text: str) -> tuple[str, ...]:
    r"""Give the values of a filter: separated by commas, each once; `\,` is a comma that belongs to a value."""
    values: list[str] = []
    value, characters = "", iter(text)
    for character in characters:
        if character == _ESCAPE:
            value += next(characters, _ESCAPE)
        elif character == _SEPARATOR:
            values.append(value)
            value = ""
        else:
            value += character
    return tuple(dict.fromkeys(found for found in [*values, value] if found))


def read_instant(text: str) -> datetime | None:
    """Give a moment that is written as ISO 8601 has it, with its distance from UTC; `None` for anything else."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None

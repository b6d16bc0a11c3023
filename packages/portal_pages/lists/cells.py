"""Cells: what a page writes of a row by its declared columns, where no template of its own does."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, Final, get_args, get_origin

from django.utils.translation import gettext
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from portal.query import Row, field_types
from portal.web.present import Badge
from portal_pages.lists.columns import Column, cells_of, unsorted_headings

#: Types with the format that they have by default. A boolean is an integer too, and a time a day.
_FORMATS: Final[Mapping[type, str]] = {
    bool: "yes_no",
    datetime: "day",
    date: "calendar_day",
    Decimal: "quantity",
    int: "quantity",
    float: "quantity",
}


#: Formats that are links. A row's name is one already, to the row's page.
_LINKS: Final = frozenset({"mailto", "tel"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What is written of a row below one heading, or beside one label.

    :param tag: of its element; a `th` names the row.
    :param attributes: of its element.
    :param format: how the value is written: a format of columns, or `text`, `badge`, `word`, `listed`, `yes_no`.
    :param words: the name of the template's variable that has them, for a value that has some.
    :param value: takes it from the row.
    :param currency: takes it from the row; empty for rows without one.
    """

    column: Column
    tag: str
    attributes: Markup
    format: str
    words: str
    value: Callable[[Any], object]
    currency: Callable[[Any], str]

    @pass_context
    def text(self, context: Context, row: Any) -> str:
        """The value as HTML, in the language and the time zone of the page; nothing for what the row does not have."""
        value, how = self.value(row), self.format
        if value is None or value == "":
            return ""
        if self.column.late is not None and self.column.late(row):
            return _late(context.environment.call_filter(how, value, context=context))
        if how == "text":
            return escape(_word(value) if isinstance(value, str) else value)
        if how == "word":
            return escape(context["words"][self.words].get(value, value))
        if how == "yes_no":
            return escape(gettext("yes") if value else gettext("no"))
        given = (self.currency(row),) if how == "money" else (context["words"][self.words],) if how == "badge" else ()
        return escape(context.environment.call_filter(how, value, given, context=context))


class Cells:
    """The cells of a list's rows: `{{ cells.of(row) }}`. In one call for a row, since a list has some hundred cells."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._marked = [(f"<{each.tag}{each.attributes}>", each, f"</{each.tag}>\n") for each in cells]

    @pass_context
    def of(self, context: Context, row: Any) -> Markup:
        """Those of one row. The cell that names it is a link to its page, if it has one."""
        page = context["pages"].detail
        parts: list[str] = []
        for begin, cell, end in self._marked:
            text = cell.text(context, row)
            if page and cell.tag == "th":
                text = context.environment.filters["link"](text or row, page, row.id)
            parts += (begin, text, end)
        return Markup("".join(parts))  # noqa: S704  all are HTML


def written_cells(columns: Mapping[str, Column], row: Any, *, left_out: Collection[str] = ()) -> tuple[Cell, ...]:
    """The cells of a row in the active language, in their order.

    :param row: its class.
    :param left_out: names of columns that are not shown.
    """
    attributes = vars(cells_of(columns))
    read_currency: Callable[[Any], str] = attrgetter("currency") if hasattr(row, "currency") else lambda _row: ""
    cells = []
    for place, (name, column) in enumerate(columns.items()):
        how = column.format or _format(name, column, row)
        cell = Cell(
            column=column,
            tag="td" if place else "th",
            attributes=attributes[name],
            format="text" if how in _LINKS and not place else how,
            words=_words_name(name),
            value=column.value or _reader(name, column, how),
            currency=read_currency,
        )
        if name not in left_out:
            cells.append(cell)
    return tuple(cells)


def _late(text: str) -> Markup:
    """A day that is missed, said in a word too, for who sees no colours."""
    word = Markup('<span class="visually-hidden"> (%s)</span>') % gettext("late")
    return Markup('<strong class="late">%s%s</strong>') % (text, word)


def short_table(columns: Mapping[str, Column], row: Any, *, left_out: Collection[str] = ()) -> dict[str, object]:
    """What the blocks `columns` and `row` of a list's template need on another page, where nothing is sorted.

    :param row: its class.
    :param left_out: names of columns that say the same in every row, and are not shown.
    """
    headings = [each for each in unsorted_headings(columns) if each.name not in left_out]
    return {
        "list": SimpleNamespace(headings=headings),
        "cell": cells_of(columns, left_out=left_out),
        "cells": Cells(written_cells(columns, row, left_out=left_out)),
        "words": words_in(columns),
    }


def words_in(columns: Mapping[str, Column]) -> dict[str, Any]:
    """The words of the columns that have some, by the names that cells have for them."""
    return {_words_name(name): column.words for name, column in columns.items() if column.words is not None}


def _words_name(column: str) -> str:
    """No name that a resource gives to its templates, beside which they stand."""
    return f"{column} of the row"


def _format(name: str, column: Column, row: Any) -> str:
    types = () if column.value else _types(row, name)
    if {tuple, list} & {get_origin(each) for each in types}:
        return "listed"
    if column.words is not None:
        return "badge" if any(isinstance(word, Badge) for word in column.words.values()) else "word"
    if Decimal in types and hasattr(row, "currency"):
        return "money"
    return next((found for kind, found in _FORMATS.items() if kind in types), "text")


def _types(row: Any, name: str) -> tuple[Any, ...]:
    if not (isinstance(row, type) and issubclass(row, Row)):
        return ()
    info = next((each for each in field_types(row).values() if each.name == name), None)
    return () if info is None else (info.type, *get_args(info.type))


def _reader(name: str, column: Column, how: str) -> Callable[[Any], object]:
    """Takes the attribute; of several values, what they are called."""
    read, words = attrgetter(name), column.words or {}

    def listed(row: Any) -> list[str]:
        return [_word(words.get(each, each)) for each in read(row) or ()]

    return listed if how == "listed" else read


def _word(word: object) -> str:
    if type(word) is str:
        return word
    if isinstance(word, Badge):
        return str(word.label)
    # An enumeration's own `str` may be its member's name.
    return str.__str__(word) if isinstance(word, str) else str(word)

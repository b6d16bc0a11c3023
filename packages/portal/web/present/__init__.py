"""From the backend's records to the values that templates show. Nothing here calls the backend.

A presenter reads downwards::

    results      a hook's result -> the page's record, or the error that becomes the page
      |
    records      a field of a record -> a text, a number, a time; empty where it is missing or odd
      |
      +- badges      a status -> a word and a tone
      +- formats     a value -> a text in the page's language (badges use its dash)
      |
      +- stat_tiles  one number on an overview (uses nothing of the above)
      +- charts      bar charts and split bars, as coordinates (uses badges and formats)
"""

from __future__ import annotations

from portal.web.present.badges import Badge, badge_for
from portal.web.present.charts import BarChart, Point, SplitBar, bar_chart, split_bar
from portal.web.present.formats import (
    KEPT_TEXTS,
    NO_VALUE,
    Formats,
    compact_number_text,
    formats_of,
    in_utc,
    money_text,
    month_text,
    number_text,
    short_day_text,
)
from portal.web.present.records import (
    counts_of,
    datetime_of,
    decimal_of,
    integer_of,
    number_of,
    objects_of,
    text_of,
    texts_of,
)
from portal.web.present.results import as_mapping, oldest_as_of, record_if_answered, record_if_exists, record_of
from portal.web.present.stat_tiles import StatTile

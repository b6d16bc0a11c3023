"""What pages show beside rows: words, texts of numbers and times, charts. Nothing here calls the backend.

::

    results      a hook's result -> the page's record, or the error that becomes the page
    stat_tiles   one number on an overview
    charts       bar charts and split bars, as coordinates
      |
    badges       a status -> a word and a tone
      |
    formats      a value -> a text in the page's language

    words        words of many pages, for the catalogs
"""

from __future__ import annotations

from portal.web.present.badges import Badge, LazyText, badge_for
from portal.web.present.charts import BarChart, Point, bar_chart, split_bar
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
from portal.web.present.results import oldest_as_of, record_if_answered, record_if_exists, record_of, rows_if_any
from portal.web.present.stat_tiles import StatTile

"""Words, and texts of numbers and times, that pages show beside rows. Nothing here calls the backend.

::

    results      a hook's result -> the page's record, or the error that becomes the page
      |
    badges       a status -> a word and a tone; what needs somebody now, each a way to it
      |
    formats      a value -> a text in the page's language
      languages  what Babel keeps for it in memory

    addresses    the address of a page with parameters
    row_ids      the id of a row as a segment of an address
    words        words of many pages, for the catalogs
"""

from portal.web.present.addresses import ParamValue, with_params
from portal.web.present.badges import Badge, LazyText, Need, NeedLink, Tone, badge_for, needs_of
from portal.web.present.formats import (
    KEPT_TEXTS,
    NO_VALUE,
    Formats,
    compact_number_text,
    day_text,
    formats_of,
    in_active_zone,
    in_utc,
    list_text,
    money_text,
    month_and_year_text,
    month_text,
    number_text,
    percent_text,
    quantity_text,
    short_day_text,
    territory_text,
    utc_day,
)
from portal.web.present.results import (
    has_answer,
    has_failed,
    is_not_there,
    oldest_as_of,
    part_if_answered,
    record_if_answered,
    record_of,
)
from portal.web.present.row_ids import OWN_WORDS, ROW_ID, id_segment

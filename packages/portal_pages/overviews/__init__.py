"""Overviews: the figures of a period beside those of the one before, and what needs somebody now.

::

    summaries   Count, read_overview: the backend's summary, or the totals of the lists
      figures   Figure: a tile and a chart of the summary; rows_by: a bar of a list's rows
    live        live_part: the part of an overview that renews itself
      |
    periods     PeriodChoice: the days that the user chose, by links or by a form
"""

from __future__ import annotations

from portal_pages.overviews.figures import Figure, money_of, rows_by
from portal_pages.overviews.live import live_part
from portal_pages.overviews.periods import PeriodChoice
from portal_pages.overviews.summaries import Count, read_overview

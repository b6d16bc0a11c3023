"""Overviews: the figures of a period beside those of the one before, and what needs somebody now.

::

    summaries   Figure, Count, read_overview: the backend's summary, or the totals of the lists, as tiles and charts
      |
    periods     PeriodChoice: the days that the user chose; live_part: the part of a page that renews itself
"""

from portal_pages.overviews.periods import PeriodChoice, live_part
from portal_pages.overviews.summaries import Count, Figure, money_of, read_overview, rows_by

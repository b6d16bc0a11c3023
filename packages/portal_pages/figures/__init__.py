"""Figures of a page as tiles, bar charts and split bars. Nothing here calls the backend.

::

    stat_tiles   one number, beside that of the period before
    series       the points of a summary's series: days, weeks, months
      charts     bar charts and split bars, as coordinates
"""

from portal_pages.figures.charts import BarChart, Point, SplitBar, bar_chart, split_bar
from portal_pages.figures.series import hour_points, month_points, series_points, sum_text
from portal_pages.figures.stat_tiles import StatTile, compared_tile

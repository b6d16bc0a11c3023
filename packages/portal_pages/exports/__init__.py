"""Exports: a list as a file of comma-separated values, written while it is read.

::

    export_views     ExportView: the response to `<list>/export`, or why there is none just now
      csv_files        CsvFile: the file as an iterator of its parts; its cells, as a spreadsheet reads them
        export_slots   how many files are written at the same time
"""

from portal_pages.exports.export_views import ExportView

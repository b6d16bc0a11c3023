"""Budgets of every page: what a view may take, whatever machine it runs on. `budgets.csv` has a row for each page.

::

    table            the table, and what is over a ceiling or far below it
    measurement      what the pages of an app take
      measuring      a process of its own, with the app and the settings of production
        views        opens the pages
          pages      those that are opened: each route, and states and parts that no route names
          backend    what the backend has
          call_counter

`python -m tests.budgets` renews the table.
"""

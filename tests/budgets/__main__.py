"""`python -m tests.budgets` renews the table: the ceilings become what the pages take now."""

from tests.budgets.measuring import measure
from tests.budgets.pages import PAGES
from tests.budgets.table import write_table

if __name__ == "__main__":
    write_table({app: measure(app) for app in PAGES})

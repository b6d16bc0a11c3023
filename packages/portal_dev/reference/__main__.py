"""`./manage.py update_reference`."""

from portal_dev.reference.pages import main

main()

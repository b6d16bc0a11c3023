"""`./manage.py update_reference`."""

import sys

from portal_dev.reference.pages import main

sys.exit(main())

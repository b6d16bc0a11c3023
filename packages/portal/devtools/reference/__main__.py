"""`./manage.py update_reference`."""

import sys

from portal.devtools.reference.pages import main

sys.exit(main())

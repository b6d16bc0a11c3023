"""Settings of the finance platform."""

import sys
from importlib.util import find_spec

from portal.config.base_settings import project_settings

if find_spec("reportlab") is None:
    sys.exit("finance: invoices as a PDF need the packages of the extra `finance`: pip install 'portal-apps[finance]'")
globals().update(project_settings("finance"))

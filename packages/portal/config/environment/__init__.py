"""The environment of one process, read once at start. No other module reads `os.environ`.

::

    reader              the fields of PortalConfig, each after those that it needs; or ConfigurationError with one line
    variables           every variable, one row each: name, field, how it is read, default, meaning, secrecy
      single_variables  how those are read that have a rule of their own
      variable_types    what a row has: Variable, Secrecy
      values            one variable as a text, a number, a switch, an address
    sources             where each value comes from, with secrets masked
      authentication    how access tokens are verified; the OpenID provider
      developer         the `.env` file, and DEBUG on a developer's machine
      log_targets       where the audit log and traces go
      store_urls        CACHE_URL, REFRESH_CACHE_URL: one Redis, or its Sentinels
      state_dir         APP_STATE_DIR: the private folder, and the secrets in it
"""

from portal.config.environment.developer import complete_environment
from portal.config.environment.log_targets import OFF, STDERR
from portal.config.environment.reader import read_config, try_config
from portal.config.environment.single_variables import read_port_base as port_base
from portal.config.environment.sources import (
    Source,
    runs_in_kubernetes,
    undeclared_names,
    variable_values,
)
from portal.config.environment.store_urls import is_sentinel_url, read_sentinel_url, split_credentials
from portal.config.environment.variable_types import Secrecy, Variable, VariablePart
from portal.config.environment.variables import VARIABLES

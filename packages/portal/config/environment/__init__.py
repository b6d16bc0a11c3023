"""The environment of one process, read once at start. No other module reads `os.environ`.

::

    reader              the fields of PortalConfig, each after those that it needs; or ConfigurationError with one line;
                        the `.env` file, and DEBUG on a developer's machine
    variables           every variable, one row each: name, field, how it is read, default, meaning, secrecy
      single_variables  how those are read that have a rule of their own: state folder, log targets, hosts …
      offers            what the backend has beyond the required calls: words, or a file of names
      values            one variable as a text, a number, a switch, an address
    sources             where each value comes from, with secrets masked
      authentication    how access tokens are verified; the OpenID provider
      store_urls        CACHE_URL, REFRESH_CACHE_URL: one Redis, its Sentinels, or a cluster
"""

from portal.config.environment.offers import ALL, CONTRACT_FILE, read_offers_file
from portal.config.environment.reader import complete_environment, read_config, try_config
from portal.config.environment.single_variables import OFF, STDERR, private_dir
from portal.config.environment.single_variables import read_port_base as port_base
from portal.config.environment.sources import (
    Source,
    quoted_names,
    runs_in_kubernetes,
    undeclared_names,
    variable_values,
)
from portal.config.environment.store_urls import (
    is_cluster_url,
    is_sentinel_url,
    read_shared_url,
    server_of,
    split_credentials,
)
from portal.config.environment.variables import VARIABLES, Secrecy, Variable, VariablePart

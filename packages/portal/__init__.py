"""The Portal: one shared package for every application of the product family.

A folder imports from the folders below it, and from each of them only the names that its `__init__` exports::

    oidc                     sign-in at an OpenID provider; optional
      web                    middleware, pages, cookies, templates
        services             the declared endpoints of the backend
          query              cached reads, lists, writes
            api              HTTP to the backend, token refresh        edge    decides before a view runs
              store          the cache that processes share
                identity     who the user is, from the token alone
                  config     names and numbers; the environment
                    process  clock, deadline, threads, circuit breakers
                      metrics  what a server counts of itself
                      errors, strict_json, suggestions

Beside them: `server`, `management`, `testing`, `startup` and `checks`; and `portal_dev`, which a server has not.
`docs/explanation/architecture.md` draws the whole repository; import contracts in `pyproject.toml` hold the layers.
"""

from typing import Final

#: The version of the whole release: `pyproject.toml` and every command read it here.
__version__: Final = "0.5.0"

"""The Portal: one shared package for every application of the product family.

A folder imports from the folders below it, and from each of them only the names that its `__init__` exports::

    web                    middleware, sign-in, cookies, templates, and who may open a page
      services             the declared endpoints of the backend
        query              cached reads, lists, writes
          api              HTTP to the backend, token refresh        edge    decides before a view runs
            store          the cache that processes share
              identity     who the user is, from the token alone
              process      clock, deadline, threads, circuit breakers
              rows         a row of the backend, and how JSON becomes one
                telemetry  what a process says of itself: metrics, the audit log, traces
                  config   names and numbers; the environment
                    errors

Beside them: `testing`. Above them: `portal_pages`, the lists, forms and overviews that apps are made of; `portal_oidc`,
the optional sign-in at an OpenID provider; `portal_server`, the production server; `portal_operate`, the commands and
checks; and `portal_dev`, which no server imports.
`docs/explanation/architecture.md` draws the whole repository; the import contracts of `layers.toml` hold them.
"""

from typing import Final

#: The version of the whole release: each `pyproject.toml` and every command read it here.
__version__: Final = "0.5.0"

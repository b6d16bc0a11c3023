"""Fixtures for teams: an app's pages, tested in one process, with a backend in memory that keeps the contract.

::

    fixtures          app, backend, signed_in, signed_out, query_client, use_locale
      projects        the settings of one project, inside a block
      backend         Backend: serves what a test tells it, notes each call, fails on demand
      pages           what a page shows
        shapes        a profile, a page of a list, a problem document
        sign_ins      an account's tokens

A pytest plugin: `pytest_plugins = ["portal.testing"]` in the topmost `conftest.py`. Only tests import it; pytest and
responses come with the extra `testing` and are no dependencies of what is served. See docs/how-to/test-your-pages.md.
"""

from portal.testing.backend import Backend, Call, Fault
from portal.testing.fixtures import (
    NewQueryClient,
    SignedIn,
    UseLocale,
    app,
    backend,
    project,
    query_client,
    signed_in,
    signed_out,
    use_locale,
)
from portal.testing.pages import row_ids
from portal.testing.shapes import page_of, problem_of, profile_of
from portal.testing.sign_ins import SignIn, access_token

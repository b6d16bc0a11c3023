"""Whose data: the namespace that an access token is bound to.

::

    namespaces          Namespaces: bind, rebind and unbind tokens; purge a user's data
      └─▶ generations       random numbers: under another one, a page is a miss; purges that wait for the store
            └─▶ token_bindings    Partition and TokenBinding, as the store holds them (pure)

A binding is made by a success of GET `/me`, or by a refresh (docs/explanation/query-cache.md, "Whose data").
"""

from __future__ import annotations

from portal.query.partition.namespaces import Namespaces, different_subjects, same_subject, subject_of
from portal.query.partition.token_bindings import Partition, binding_key, principal_of_sign_in, principals_of_user

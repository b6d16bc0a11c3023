"""Reference pages that are written from the code: variables, metrics, audit events, system checks.

`./manage.py update_reference` writes them. Each module here has `PAGE`, the path from the root, and `markdown() -> str`,
the part of the page between `<!-- generated -->` and `<!-- end -->`; :mod:`environment` writes `.env.example` too.
"""

"""The reference pages that are written from the code, and `./manage.py update_reference`, which writes them.

Each module here writes a page, or a part of one: `PAGE`, the page's path from the root, and `markdown() -> str`, its text.
Where a page is written by hand, but for a part, that part stands between two comments, which name the module::

    <!-- generated: commands -->
    …
    <!-- end -->

What a module reads of the code, it reads when it is called, so that importing one costs nothing.
"""

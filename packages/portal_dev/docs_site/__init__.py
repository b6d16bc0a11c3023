"""`make docs`: the documentation as a site with search.

::

    builder            reads the pages, writes a folder for MkDocs with the pages in the order of docs/README.md and in
                       the Markdown that MkDocs reads, and lets MkDocs build the site from it
      site_pages       what belongs to the site: all of docs/, and each file that a page links to; where on the site

MkDocs gets plain pages and a list of them. No plugin and no hook of ours runs inside it, so that another program that
reads its configuration can take its place (docs/adr/0048-documentation-as-a-site.md).
"""

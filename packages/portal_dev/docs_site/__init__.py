"""`make docs`: the documentation as a site with search.

::

    builder            reads the pages, writes a folder for MkDocs, and lets MkDocs build the site from it
      site_pages       what belongs to the site: all of docs/, and each file that a page links to
      links            from a place in the repository to a place on the site
      navigation       the pages by their folders, in the order in which docs/README.md names them
      dialect          from CommonMark, which the pages are written in, to the Markdown that MkDocs reads

MkDocs gets plain pages and a list of them. No plugin and no hook of ours runs inside it, so that another program that
reads its configuration can take its place (docs/adr/0048-documentation-as-a-site.md).
"""

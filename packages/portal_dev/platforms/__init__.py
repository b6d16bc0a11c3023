"""Writes a new platform into the repository, and takes one away: `startplatform`, `removeplatform`.

::

    platform_places     the files that name every platform
      platform_folders  the folders that are one platform's alone, written from `platform_template/`; which names a new
                        platform can't have, and why
"""

"""Writes a new product or platform, and takes a platform away: `startproduct`, `startplatform`, `removeplatform`.

::

    platform_places     the files that name every platform
      platform_folders  the folders that are one platform's alone, written from `platform_template/`; which names a new
                        platform can't have, and why
"""

"""The configuration: read once, into frozen typed objects, and the names and numbers that never change at run time.

::

    base_settings       Django's settings of one project
    current             the running project's configuration, at request time
    places              where code stands, as file and line
      environment/      the environment, read once -> PortalConfig
        portal_config   the shape of a project's configuration
    log_lines           the form of a log line
    projects            the Django projects: gateway, then one for each platform
    locales             the languages
      platforms         the platforms, from the product
        product         what `apps/product.py` says: name, platforms, languages, services
    cookies             names and limits of the shared cookies
    limits              numbers: times, sizes, counts
    contract_names      the contract's names: paths, fields, parameters

The modules here are lists of names, and each is imported by its own path: `portal.config.limits`.
"""

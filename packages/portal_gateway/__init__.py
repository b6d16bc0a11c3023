"""The gateway: sign-in, by password or at an OpenID provider, the profile with its sign-ins, accounts, permissions.

It stands on the kit of pages, as an app does. The project `apps/auth_app` serves it::

    urls                     gateway_patterns: all URLs of the gateway      apps    Django's registration
      views/                 one module for each flow: login, forgotten_password, oidc, profile, sign_ins, accounts
        permission_changes   changes of permissions, for the audit log
        forms                the forms of sign-in and profile
        devices              the name of a browser
"""

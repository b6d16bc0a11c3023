"""The views that every app has. `portal.web.urls` names them one by one.

::

    for_people      the help, the sign-out form, the way to the sign-in page, the language switch, the placeholder's
                    content, the state of the sign-in for the watch in every tab
    for_machines    /healthz, /readyz, /metrics, /favicon.ico, /robots.txt, /.well-known/security.txt
"""

"""The views that every app has. `portal.web.urls` names them one by one.

::

    essentials      GET /{locale}/essentials    the content of the placeholder
    help            GET /{locale}/help          what keys do, and whom to ask
    logout          GET, POST /{locale}/logout  the sign-out form
    login_redirect  GET /{locale}/login         on a platform app: to the gateway's sign-in page
    locale          POST /locale                the language switch
    sign_in_state   GET /sign-in-state          for the sign-in watch in every tab
    health          GET /healthz, /readyz       whether the process runs, whether its stores answer
    metrics         GET /metrics                counters in Prometheus' text format
    files           GET /favicon.ico, /robots.txt, /.well-known/security.txt
"""

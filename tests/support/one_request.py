"""A program that answers one request, as any WSGI server has an application do it: one process."""

from typing import Final

#: `app` and `path` are given by `format`. The list `answered` has the status.
ONE_REQUEST: Final = """
import sys
from importlib import import_module

application = import_module("apps.{app}.wsgi").application
environ = {{
    "REQUEST_METHOD": "GET", "PATH_INFO": "{path}", "QUERY_STRING": "", "SERVER_PROTOCOL": "HTTP/1.1",
    "SERVER_NAME": "localhost", "SERVER_PORT": "8000", "HTTP_HOST": "localhost:8000", "HTTP_ACCEPT": "text/html",
    "wsgi.url_scheme": "http", "wsgi.input": sys.stdin.buffer, "wsgi.errors": sys.stderr,
}}
answered = []
b"".join(application(environ, lambda status, headers, *_: answered.append(status)))
"""

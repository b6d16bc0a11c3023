"""A WSGI application that tells of the process that serves it."""

import json
import os

from portal_server.static_files import PRIVATE_FOLDERS

TOLD = (*PRIVATE_FOLDERS, "LOADED_BY", "NOTIFY_SOCKET")


def application(environ, start_response):
    start_response("200 OK", [("Content-Type", "application/json")])
    told = {"worker": os.getpid(), "parent": os.getppid()}
    return [json.dumps(told | {name: os.environ[name] for name in TOLD if name in os.environ}).encode()]

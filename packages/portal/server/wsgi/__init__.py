"""What stands between granian and the WSGI application: each module wraps an application, for one reason.

::

    content_types   drops parameters of `Content-Type` that Django can't read
    whole_bodies    gives each response that does not stream its `Content-Length`
    read_bodies     reads what the application has left of a request's body
    lost_cookies    logs a `Cookie` header that granian has emptied
"""

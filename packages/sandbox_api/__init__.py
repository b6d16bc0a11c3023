"""The sandbox: a small real backend with a database, over HTTP only.

It serves section 7 of the contract. It imports nothing of the portal and of its applications, and they import
nothing of it, so that client and backend can't agree by construction.
"""

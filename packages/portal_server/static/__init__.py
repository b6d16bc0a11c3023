"""Static files of the production server.

::

    middleware   serves them: the server's own, and on a miss those of other releases
    sharing      keeps the files of each release in a folder that servers share
    storage      makes one style sheet of those that import each other; hashed names, compressed

`sharing` needs the standard library only, the others Django and WhiteNoise.
"""

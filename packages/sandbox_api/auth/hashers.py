"""A hash of passwords that nobody has to guess."""

from django.contrib.auth.hashers import ScryptPasswordHasher


class QuickScrypt(ScryptPasswordHasher):
    """Scrypt with the least work. A hash says its own work, so that either hasher checks those of the other."""

    work_factor = 2
    parallelism = 1

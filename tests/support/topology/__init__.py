"""The topology of production on one machine, from Debian's packages, for people (`make topology`) and for tests.

nginx, with the site file of `deploy/`, serves the projects by their names over https, with a certificate of a local
authority. Each project has two instances of two workers, with the variables of the example files. Redis has a primary,
two replicas and three Sentinels. The backend is the sandbox, with DEBUG off.

::

    __main__        `make topology`: starts it, says where it is, and stops it
    topology        names and ports, servers and their variables, restarts, a browser that trusts the authority
"""

from tests.support.topology.topology import DOMAIN, OFFSETS, Addresses, Person, Topology, running_topology

__all__ = ["DOMAIN", "OFFSETS", "Addresses", "Person", "Topology", "running_topology"]

"""What a backend has: `SANDBOX_PROFILE` makes the sandbox one that has less.

Each profile is a table of calls. What is not in the table is not there, in the answers and in the published schema.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

VERSION: Final = "version"
"""The field; where it is not there, `ETag` and `If-Match` are not either."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """The calls of one path.

    :param methods: those that are answered; GET stands for HEAD too.
    :param parameters: of the query.
    :param without: fields that the answer, and each row of a list, does not have.
    """

    methods: tuple[str, ...]
    parameters: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """What a backend has.

    :param calls: by path, `/energy/clients/{id}` say; None for all that the sandbox has.
    :param honours_idempotency_key: unless a variable says otherwise.
    :param refuses_unknown: a parameter that is not in the table is a 400, and a call that is not in it a 403. Otherwise
        the parameter is ignored, and the call is a 404 or a 405.
    """

    calls: Mapping[str, Call] | None
    honours_idempotency_key: bool = True
    refuses_unknown: bool = False


def _calls(*methods: str, parameters: tuple[str, ...] = (), without: tuple[str, ...] = ()) -> Call:
    return Call(methods=methods, parameters=parameters, without=without)


_PAGE = ("cursor", "limit")
_LIST = (*_PAGE, "q", "sort")
_NOT_IN_THE_DOCUMENT = ("total", "createdAt", VERSION)
_HEALTH = ("health", "faultedChargers", "offlineMeters")
_ON_PAPER = ("seller", "clientAddress", "clientVatId", "reminderCount", "remindedAt")

#: The calls that are required, with the fields that are promised.
_DOCUMENT = {
    "/auth/login": _calls("POST"),
    "/refresh": _calls("POST"),
    "/me": _calls("GET", without=("id", "email", "name")),
    "/energy/clients": _calls("GET", "POST", parameters=_PAGE, without=_NOT_IN_THE_DOCUMENT),
    "/energy/clients/{id}": _calls("GET", "DELETE", without=_NOT_IN_THE_DOCUMENT),
}
#: The table of the contract, section 7.
_CONTRACT = {
    "/auth/login": _calls("POST"),
    "/auth/logout": _calls("POST"),
    "/refresh": _calls("POST"),
    "/me": _calls("GET"),
    "/energy/clients": _calls("GET", "POST", parameters=_LIST, without=(VERSION,)),
    "/energy/clients/{id}": _calls("GET", "PATCH", "DELETE", without=(VERSION,)),
    "/energy/stations": _calls("GET", parameters=_LIST, without=_HEALTH),
    "/energy/stations/{id}": _calls("GET", without=_HEALTH),
    "/energy/chargers": _calls("GET", parameters=_LIST),
    "/energy/chargers/{id}": _calls("GET"),
    "/energy/sessions": _calls("GET", parameters=_LIST),
    "/energy/sessions/{id}": _calls("GET"),
    "/energy/meters": _calls("GET", parameters=_LIST),
    "/energy/meters/{id}": _calls("GET"),
    "/iam/accounts": _calls("GET", parameters=_LIST, without=(VERSION,)),
    "/iam/accounts/{id}": _calls("GET", "PATCH", without=(VERSION,)),
    "/iam/auth/sessions": _calls("GET", parameters=_LIST),
    "/iam/auth/sessions/{id}": _calls("DELETE"),
    "/operations/work-orders": _calls("GET", "POST", parameters=_LIST, without=(VERSION,)),
    "/operations/work-orders/{id}": _calls("GET", "PATCH", without=(VERSION,)),
    "/finance/invoices": _calls("GET", parameters=_LIST, without=(VERSION,)),
    "/finance/invoices/{id}": _calls("GET", without=(VERSION, *_ON_PAPER)),
}
_contract = Profile(calls=MappingProxyType(_CONTRACT))

PROFILES: Final[Mapping[str, Profile]] = MappingProxyType(
    {
        "document": Profile(calls=MappingProxyType(_DOCUMENT), honours_idempotency_key=False),
        "contract": _contract,
        "full": Profile(calls=None),
        "strict": replace(_contract, refuses_unknown=True),
    }
)
DEFAULT_PROFILE: Final = "full"


def path_shape(path: str) -> str:
    """`energy/clients/<id:row_id>` of the URLs and `/energy/clients/{row_id}` of the schema, as a table has it."""
    return "/" + re.sub(r"<.*?>|{.*?}", "{id}", path).lstrip("/")

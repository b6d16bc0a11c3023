"""What a caller may do: an exact match of permission strings, read from the database on each call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.permissions import BasePermission

from sandbox_api.auth.authentication import Caller
from sandbox_api.problems import Unauthorized

if TYPE_CHECKING:
    from rest_framework.request import Request
    from rest_framework.views import APIView

ENERGY_APP = "ENERGY_APP"
OPERATIONS_APP = "OPERATIONS_APP"
FINANCE_APP = "FINANCE_APP"
IAM_ADMIN = "IAM_ADMIN"


class HoldsRequiredPermission(BasePermission):
    """Lets through who has the view's `required_permission`, or is signed in where there is none."""

    message = "Your account lacks the permission for this."

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Decide.

        :raises Unauthorized: if nobody is signed in.
        """
        if not isinstance(request.auth, Caller):
            raise Unauthorized
        required: str | None = getattr(view, "required_permission", None)
        return required is None or required in request.auth.account.permissions

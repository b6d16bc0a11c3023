"""The base of all views."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from rest_framework.views import APIView

from sandbox_api.auth.authentication import Caller
from sandbox_api.problems import Unauthorized

if TYPE_CHECKING:
    from rest_framework.request import Request
    from rest_framework.response import Response


class ApiView(APIView):
    """A view for who is signed in and, where one is named, holds its permission."""

    required_permission: ClassVar[str | None] = None
    # What no view answers stands in no `Allow`.
    http_method_names = ["get", "post", "put", "patch", "delete", "head"]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check the caller; then read the body whole, since an idempotent write wants it raw and parsed."""
        super().initial(request, *args, **kwargs)
        _ = request.body

    def perform(self, action: Callable[[], Response]) -> Response:
        """Do an idempotent write, in its transaction."""
        return action()

    @property
    def caller(self) -> Caller:
        """Who is calling.

        :raises Unauthorized: on a view that is open to all.
        """
        if not isinstance(self.request.auth, Caller):
            raise Unauthorized
        return self.request.auth

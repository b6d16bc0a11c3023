"""Whether the sandbox is up and reaches its database."""

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse

from sandbox_api.problems import problem_response


def healthz(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """Answer 200 `{"status": "ok"}`, or 503."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return problem_response(status=503, detail="The database can't be reached.")
    return JsonResponse({"status": "ok"})

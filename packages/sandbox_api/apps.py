"""The one Django application of the sandbox."""

from django.apps import AppConfig


class SandboxConfig(AppConfig):
    """Registers the models, the checks and what OpenAPI should say about the bearer."""

    name = "sandbox_api"
    label = "sandbox_api"
    verbose_name = "Sandbox backend"

    def ready(self) -> None:
        """Import what registers itself."""
        from sandbox_api import openapi  # noqa: F401, PLC0415 - registers; needs the loaded models

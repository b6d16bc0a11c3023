"""The variables of the machine: its log and metrics, its folders and ports. `variables` has them among all others."""

from __future__ import annotations

from typing import Final

from portal.config.environment.variable_types import Secrecy, Variable
from portal.config.environment.variable_types import VariablePart as Part

MACHINE_VARIABLES: Final[tuple[Variable, ...]] = (
    Variable(
        name="APP_LOG_FORMAT",
        part=Part.LOG,
        default="`text`",
        meaning="`json`: one object a line. See [the log](log.md)",
        example="json",
    ),
    Variable(
        name="APP_AUDIT_LOG",
        part=Part.LOG,
        default="`stderr`",
        meaning="where [the audit log](audit-log.md) goes: `stderr`, `off`, or a file's absolute path",
        example="/var/log/portal/audit.jsonl",
        in_env_file=False,
    ),
    Variable(
        name="APP_AUDIT_KEY",
        part=Part.LOG,
        default="`SECRET_KEY`",
        meaning="hashes entered names in the audit log; the same on all machines of the gateway",
        secrecy=Secrecy.SECRET,
        read_by="the gateway",
    ),
    Variable(
        name="OTEL_EXPORTER_OTLP_ENDPOINT",
        part=Part.LOG,
        default="unset: no traces",
        meaning="the address to which [traces](../how-to/trace-a-request.md) are sent, by OTLP over HTTP, with the "
        "requirements of `requirements/tracing.txt`. OpenTelemetry's other variables (`OTEL_TRACES_SAMPLER`, "
        "`OTEL_TRACES_SAMPLER_ARG`, `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_RESOURCE_ATTRIBUTES` …) are read by its own "
        "library",
        example="http://127.0.0.1:4318",
    ),
    Variable(
        name="OTEL_TRACES_EXPORTER",
        part=Part.LOG,
        default="`otlp`",
        meaning="`none`: no traces, whatever the address says",
        example="none",
    ),
    Variable(
        name="APP_METRICS_TOKEN",
        part=Part.LOG,
        default="unset",
        meaning="opens `/metrics` to other machines; with `APP_BEHIND_PROXY` on also to loopback",
        secrecy=Secrecy.SECRET,
    ),
    Variable(
        name="PROMETHEUS_MULTIPROC_DIR",
        part=Part.LOG,
        default="set by `serve`",
        meaning="the folder with the counts of this server's workers. Unset: each gives its own",
        in_env_file=False,
    ),
    Variable(
        name="PORT_BASE",
        part=Part.PROCESS,
        default="8000",
        meaning="the gateway's local port; platforms follow in order, the sandbox at +100",
        example="9000",
    ),
    Variable(
        name="APP_STATE_DIR",
        part=Part.PROCESS,
        default="`.state` in the checkout; `/var/lib/portal` where a wheel is installed",
        meaning="a private (0700) folder for all processes of the machine, on a local disk",
        example="/var/lib/portal",
    ),
    Variable(
        name="APP_STATIC_ROOT",
        part=Part.PROCESS,
        default="set by `serve`",
        meaning="this server's collected static files",
        in_env_file=False,
    ),
    Variable(
        name="APP_COMPILED_TEMPLATES_DIR",
        part=Part.PROCESS,
        default="set by `serve`",
        meaning="this server's compiled templates, a private folder",
        in_env_file=False,
    ),
    Variable(
        name="APP_STATIC_SHARED_DIR",
        part=Part.PROCESS,
        default="unset: a server has its own static files alone",
        meaning="a folder with the static files of this release and of those before, which the servers of all releases "
        "serve ([ADR 40](../adr/0040-static-files-of-the-release-before.md)). Made if it is missing",
        example="/var/lib/portal/static",
    ),
    Variable(
        name="APP_DEBUG_TOOLBAR",
        part=Part.PROCESS,
        default="off",
        meaning="on, in `DEBUG` and with the development requirements: pages seen from this machine carry "
        "django-debug-toolbar, with [a panel](../how-to/work-on-one-app.md#see-what-a-page-did) of their queries, "
        "mutations and backend calls",
        example="on",
        read_by="a developer's machine",
    ),
)

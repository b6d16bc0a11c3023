# One image for every app of the portal; the variable APP says which one a container serves. docs/how-to/deploy-with-containers.md.
#
#   docker build -t portal:local .
#
# A base with Python 3.11 or newer as `python3`, and venv. Pin it by its digest where your builds must be repeatable:
# docs/how-to/deploy-with-containers.md says how.
ARG PYTHON_IMAGE=python:3.11-slim-bookworm

# Builds the environment /opt/portal. What installs packages is in /opt/build, and is no part of what runs.
FROM ${PYTHON_IMAGE} AS build
# "apps"; "tracing" with OpenTelemetry; "base" with the packages of the sandbox backend.
ARG REQUIREMENTS=apps
# The time of the commit: the same commit gives the same wheels.
ARG SOURCE_DATE_EPOCH=0
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_NO_INPUT=1
WORKDIR /build
COPY requirements requirements
# An index of your own, if you have one, is a secret of the build, and no layer has it: --secret id=pip.conf,src=pip.conf
RUN --mount=type=secret,id=pip.conf,target=/etc/pip.conf,required=false \
    python3 -m venv /opt/build \
    && python3 -m venv --without-pip /opt/portal \
    && /opt/build/bin/pip install --require-hashes -r requirements/build.txt \
    && /opt/build/bin/pip --python /opt/portal/bin/python install --require-hashes -r "requirements/${REQUIREMENTS}.txt"
COPY pyproject.toml setup.py README.md ./
COPY packages packages
COPY apps apps
RUN /opt/build/bin/pip wheel --no-index --no-deps --no-build-isolation --wheel-dir dist packages/ packages/sandbox_api/ ./ \
    && /opt/build/bin/pip --python /opt/portal/bin/python install --no-index --no-deps dist/*.whl

FROM ${PYTHON_IMAGE} AS portal
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="portal" \
      org.opencontainers.image.description="The apps of the portal: the gateway, and one for each platform" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /opt/portal /opt/portal
# For a volume, where a container keeps its state itself: an app without Redis, and the sandbox.
RUN install -d -m 0700 -o 10001 -g 10001 /var/lib/portal /var/lib/portal-sandbox
# DEBUG is said, so that nothing can switch it on by itself. Both allocators of a worker, glibc's of
# Python and granian's jemalloc, keep freed memory in several places for each core and thread: one place each takes less, and no
# more time. Code without its columns takes less too: a traceback names lines, and marks no part of them. The
# environment is not written to: its bytecode is there.
ENV PATH=/opt/portal/bin:${PATH} \
    DEBUG=off \
    APP=auth_app \
    WORKERS=2 \
    THREADS=8 \
    MALLOC_ARENA_MAX=1 \
    GLIBC_TUNABLES=glibc.malloc.tcache_count=0 \
    _RJEM_MALLOC_CONF=narenas:1,tcache:false \
    PYTHONNODEBUGRANGES=1 \
    PYTHONDONTWRITEBYTECODE=1
# A number, so that Kubernetes can tell that it is not root's.
USER 10001:10001
WORKDIR /tmp
# What each start needs of this release is made once: 1 to 3 s of processor time for each app. No value here is kept.
RUN for app in $(python3 -c "from portal.config.projects import PROJECT_BY_APP; print(*PROJECT_BY_APP)"); do \
        SECRET_KEY=nobodys ALLOWED_HOSTS=localhost APP_PUBLIC_API_BASE_URL=http://127.0.0.1 \
        APP_PUBLIC_GATEWAY_APP_URL=http://127.0.0.1 \
        portal --app "${app}" serve --skip-checks --only-prepare || exit 1; \
    done
EXPOSE 8000
# Without asking backend and store: an outage of theirs is no reason to restart an app.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s \
    CMD ["python3", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
# The shell becomes the server, which takes SIGTERM itself and waits for its workers.
CMD ["sh", "-c", "exec portal --app \"${APP}\" serve --host 0.0.0.0 --port 8000 --workers \"${WORKERS}\" --threads \"${THREADS}\""]

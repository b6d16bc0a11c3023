# Needs python3 (3.11 or newer) and nothing else; everything is installed into .venv.
PYTHON ?= python3
BIN := .venv/bin
# Settings of this machine's pip (a mirror, a folder of wheels) stay this machine's; the hashes decide what is installed.
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input -q
# Modules are compiled once, not again by each of the hundreds of processes of a run.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run dev topology install runtime tracing test docs-check storm-check deploy-check dev-check bench-check test-fast matrix mutants test-own-product check audit newer sbom hooks format wheel docs docs-serve bench screenshots profile storm storm-query hung lock clean help

help:  ## what there is
	@grep -hE '^[a-z][a-z%-]*:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/:/'

run: .venv/.runtime .venv/.developer  ## start everything on this machine
	@$(BIN)/python manage.py run

dev: .venv/.dev .venv/.developer  ## the same, reloading changed code; one app left out with: make dev without=finance
	@$(BIN)/python manage.py run --reload $(if $(without),--without $(without))

topology: .venv/.dev  ## the topology of production on this machine: nginx over https, two instances of each app, Redis with Sentinels
	@$(BIN)/python -m tests.support.topology $(if $(TLS_PORT),--tls-port $(TLS_PORT)) $(if $(STORE),--store $(STORE))

install: .venv/.dev  ## the environment alone
runtime: .venv/.runtime  ## the same for a server: without what tests and checks need, and without DEBUG by default
tracing: .venv/.tracing  ## that, and OpenTelemetry for traces
install runtime tracing:
	@$(BIN)/python -m portal_operate.catalogs

# Each test belongs to one of these jobs: tests/jobs.py. Several in one run: make test ALSO="docs-check dev-check".
test: .venv/.dev  ## the tests of the product
docs-check: .venv/.dev  ## the tests of the documentation, and of the types that a team meets
storm-check: .venv/.dev  ## state machines, storms and walks over all pages, whole: in `make test` they are short
deploy-check: .venv/.dev  ## the tests of what is in deploy/, of images, releases and the wheel
dev-check: .venv/.dev  ## the tests of the developers' tools, of the sandbox backend, and of the suite itself
bench-check: .venv/.dev  ## the tests of the benchmarks, of which one is a short run of each
test docs-check storm-check deploy-check dev-check bench-check:
	@$(BIN)/python -m tests.jobs $@ $(ALSO)

test-fast: .venv/.dev  ## in about a minute, the tests nearest to what you changed, by imports; no servers, no browsers
	@$(BIN)/python -m tests.fast

AREA ?=
mutants: .venv/.dev  ## whether a test fails for each change that breaks a rule: make mutants AREA="edge store"
	@nice -n 10 $(BIN)/python -m tests.mutants $(AREA)

ONLY ?= /
matrix: .venv/.dev  ## the tests of the product with each Python of this machine and both releases of Django, for hours: make matrix SMOKE=yes ONLY=3.13/6
	@nice -n 10 $(BIN)/python -m tests.matrix $(if $(SMOKE),--smoke) --only $(ONLY)

test-own-product: .venv/.dev  ## in a copy, one platform in place of the examples, and the tests that are left
	@OWN_PRODUCT=whole $(BIN)/python -m pytest -q tests/portal_dev/management/test_own_product.py

# What other folders test for each app: its templates and its catalogs.
OF_EACH_APP := tests/portal/web/test_templates.py tests/portal_dev/test_catalogs.py
test-%: .venv/.dev  ## the tests of one app and of the services, in seconds: make test-finance
	@test -d tests/apps/$* || { cd tests/apps; echo tests/apps/$* is not there: $$(ls -d */ | grep -v __); exit 2; }
	$(BIN)/python -m pytest tests/apps/$* tests/portal/services $(OF_EACH_APP) -k "$* or services"

check: .venv/.dev  ## format, lint, import contracts, types, each app's own checks, known vulnerabilities
	@$(BIN)/python -m tests.checks

audit: .venv/.dev  ## known vulnerabilities of the pinned packages; fails also if a package could not be audited
	@$(BIN)/python -m tests.supply_chain audit --strict

newer: .venv/.dev  ## pinned packages of which there is a newer version
	@$(BIN)/python -m tests.supply_chain newer

SBOM ?= .state/sbom.json
sbom: .venv/.dev  ## the list of all packages that a server installs, as CycloneDX, into .state/sbom.json
	@mkdir -p $(dir $(SBOM))
	@$(BIN)/python -W ignore -m cyclonedx_py requirements requirements/base.txt --pyproject pyproject.toml --output-reproducible --of JSON -o $(SBOM)

hooks: .venv/.dev  ## check each commit of this clone, by pre-commit
	@$(BIN)/pre-commit install

format: .venv/.dev  ## let ruff put the code in order
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The theme's makers advise on their successor at each build: docs/adr/0048-documentation-as-a-site.md.
docs: .venv/.dev  ## the documentation as a site with search, into .state/site
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

DOCS_PORT ?= 8200
docs-serve: .venv/.dev  ## serve it on this machine, and show what is saved: make docs-serve DOCS_PORT=8200
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs serve --dev-addr 127.0.0.1:$(DOCS_PORT)

bench: .venv/.dev  ## the benchmarks, as tables
	$(BIN)/python -m benchmarks

screenshots: .venv/.dev  ## pictures of every page at five widths, light and dark, into .state/screenshots
	@$(BIN)/python -m tests.screenshots

PAGE ?= clients
profile: .venv/.dev  ## where the time of one page goes: make profile PAGE=clients
	$(BIN)/python -m benchmarks profile --page $(PAGE)

storm: .venv/.dev  ## real servers, browsers and token refreshes, for a quarter of an hour
	$(BIN)/python -m benchmarks storm

storm-query: .venv/.dev  ## processes and threads against one user's cached list, for minutes
	$(BIN)/python -m benchmarks storm_query

hung: .venv/.dev  ## pages while the store, the backend, or both accept and never answer, for minutes
	$(BIN)/python -m benchmarks hung

# An environment whose Python is gone, or that came with its folder from another place, is made again.
ifeq ($(shell test -x $(BIN)/python && grep -sxF "$(CURDIR)" .venv/lib/python3*/site-packages/workspace.pth),)
.PHONY: .venv/.python
endif
.venv/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "python3 should be 3.11 or newer, not " + sys.version.split()[0])'
	@echo "making the environment in .venv"
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/python -c 'import pathlib, sysconfig; pathlib.Path(sysconfig.get_path("purelib"), "workspace.pth").write_text("{0}\n{0}/packages\n".format(pathlib.Path.cwd()))'
	@touch $@

.venv/.runtime: .venv/.python requirements/base.txt
	@echo "installing what the servers need"
	@$(PIP) install --require-hashes -r requirements/base.txt
	@touch $@

.venv/.tracing: .venv/.runtime requirements/tracing.txt
	@echo "installing OpenTelemetry"
	@$(PIP) install --require-hashes -r requirements/tracing.txt
	@touch $@

# On a developer's machine, commands run in DEBUG unless they are told otherwise (docs/adr/0030-debug-without-a-word.md).
.venv/.developer: | .venv/.python
	@touch $@

.venv/.dev: .venv/.runtime requirements/dev.txt | .venv/.developer
	@echo "installing what tests and checks need"
	@$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $@

# Needs uv. No address of a package index is written, nor taken from this machine's settings.
LOCK := uv pip compile --quiet --no-config --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-emit-find-links --no-annotate --no-header --no-emit-package portal-library --no-emit-package portal-sandbox-api
lock:  ## pin what the three pyproject.toml ask for
	$(LOCK) pyproject.toml packages/sandbox_api/pyproject.toml --extra finance -o requirements/base.txt
	$(LOCK) pyproject.toml --extra finance -c requirements/base.txt -o requirements/apps.txt
	$(LOCK) pyproject.toml --extra finance --extra tracing -c requirements/base.txt -o requirements/tracing.txt
	$(LOCK) pyproject.toml --extra finance --group dev -c requirements/base.txt -c requirements/tracing.txt -o requirements/dev.txt
	printf "setuptools>=77\nBabel>=2.17\n" | $(LOCK) - -c requirements/dev.txt -o requirements/build.txt

# Of files that git tracks, in a folder of its own: no file of this machine gets into it. The time of the commit in place
# of the clock's: the same commit gives the same bytes.
wheel: .venv/.dev  ## the wheels of the library, of the sandbox backend and of the apps, into dist/
	@set -e; umask 022; tree=$$(mktemp -d); trap 'rm -rf "$$tree"' EXIT; \
	git ls-files -z pyproject.toml setup.py README.md packages apps | tar --null -T - -cf - | tar --no-same-permissions -xf - -C "$$tree"; \
	export SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct); for each in packages packages/sandbox_api .; do \
		$(BIN)/python -m build --wheel --no-isolation --outdir dist "$$tree/$$each" >"$$tree/log" 2>&1 \
		|| { cat "$$tree/log"; exit 1; }; \
	done; ls dist/*.whl

clean:  ## remove the environment and all local state
	rm -rf .venv .state .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

"""The manifests for Kubernetes: built by kustomize, valid by the API's schemas, and in step with image, apps and server."""

import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

import portal
from portal.config.environment import VARIABLES, Secrecy
from portal.config.projects import PROJECTS
from portal.edge import UNGATED_PATHS
from portal_server.workers import WORKER_STOP_TIMEOUT_S
from tests.deploy.files import DOCKERFILE, KUBERNETES, known_variables
from tests.support.harness import require_tool, run_program

Manifest = dict[str, Any]
#: The oldest release whose API has all that is asked for: `preStop` with `sleep`.
OLDEST = "1.30"
APPS = {project.app: f"portal-{project.app.replace('_', '-')}" for project in PROJECTS}

each_app = pytest.mark.parametrize("app", APPS)


def secret_files(overlay: Path) -> list[str]:
    """The files that an overlay expects, and no repository has."""
    kustomization = yaml.safe_load((overlay / "kustomization.yaml").read_text())
    return [file.partition("=")[2] for each in kustomization["secretGenerator"] for file in each["files"]]


@pytest.fixture(scope="module")
def manifests(tmp_path_factory: pytest.TempPathFactory) -> list[Manifest]:
    """What `kubectl apply -k` would send."""
    kubectl = require_tool("kubectl")
    version = run_program(kubectl, "version", "--client", status=None).stdout
    if "Kustomize Version: v5" not in version:
        pytest.skip("needs kubectl 1.27 or newer, with kustomize 5: Debian has it from 13 on")
    folder = Path(shutil.copytree(KUBERNETES, tmp_path_factory.mktemp("kubernetes") / "kubernetes"))
    overlay = folder / "overlays" / "example"
    for file in secret_files(overlay):
        (overlay / file).parent.mkdir(exist_ok=True)
        (overlay / file).write_text("made up for a test\n")
    built = run_program(kubectl, "kustomize", overlay)
    assert built.stderr == "", "kustomize warns"
    return list(yaml.safe_load_all(built.stdout))


def of_kind(manifests: Iterable[Manifest], kind: str) -> dict[str, Manifest]:
    return {each["metadata"]["name"]: each for each in manifests if each["kind"] == kind}


def pod_of(manifests: list[Manifest], app: str) -> Manifest:
    return of_kind(manifests, "Deployment")[APPS[app]]["spec"]["template"]


def container_of(manifests: list[Manifest], app: str) -> Manifest:
    (container,) = pod_of(manifests, app)["spec"]["containers"]
    return container


@pytest.mark.parametrize("oldest", [OLDEST, None], ids=["oldest", "newest"])
def test_each_manifest_fits_the_schemas_of_the_api(manifests, oldest) -> None:
    # It builds grammars for seconds, which each process of a run would do to collect this module.
    import kubernetes_validate

    for manifest in manifests:
        kubernetes_validate.validate(manifest, oldest or kubernetes_validate.latest_version(), strict=True)


@each_app
def test_what_selects_an_apps_pods_selects_those_and_no_others(manifests, app: str) -> None:
    name = APPS[app]
    deployment = of_kind(manifests, "Deployment")[name]["spec"]
    selectors = [
        deployment["selector"]["matchLabels"],
        of_kind(manifests, "Service")[name]["spec"]["selector"],
        of_kind(manifests, "PodDisruptionBudget")[name]["spec"]["selector"]["matchLabels"],
        *(each["labelSelector"]["matchLabels"] for each in deployment["template"]["spec"]["topologySpreadConstraints"]),
    ]
    labels = {other: pod_of(manifests, other)["metadata"]["labels"] for other in APPS}
    for selector in selectors:
        assert [other for other in APPS if selector.items() <= labels[other].items()] == [app]
    target = of_kind(manifests, "HorizontalPodAutoscaler")[name]["spec"]["scaleTargetRef"]
    assert (target["kind"], target["name"]) == ("Deployment", name)


@each_app
def test_a_pod_has_no_rights_and_writes_to_tmp_alone(manifests, app: str) -> None:
    pod, container = pod_of(manifests, app)["spec"], container_of(manifests, app)
    (user,) = re.findall(r"^USER (\d+):\d+$", DOCKERFILE.read_text(), flags=re.MULTILINE)
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["runAsUser"] == int(user)
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert pod["automountServiceAccountToken"] is False
    assert pod["serviceAccountName"] in of_kind(manifests, "ServiceAccount")
    assert [each["mountPath"] for each in container["volumeMounts"] if not each.get("readOnly")] == ["/tmp"]
    (namespace,) = of_kind(manifests, "Namespace").values()
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"


@each_app
def test_a_probe_asks_a_path_of_the_server_and_a_pod_has_the_time_for_its_open_requests(manifests, app: str) -> None:
    container = container_of(manifests, app)
    (port,) = container["ports"]
    assert f"--port {port['containerPort']}" in DOCKERFILE.read_text()
    probes = {name: container[f"{name}Probe"]["httpGet"] for name in ("startup", "liveness", "readiness")}
    asked = {"startup": "/healthz", "liveness": "/healthz", "readiness": "/healthz"}
    assert probes == {name: {"path": path, "port": port["name"]} for name, path in asked.items()}
    assert set(asked.values()) <= set(UNGATED_PATHS)
    (served,) = of_kind(manifests, "Service")[APPS[app]]["spec"]["ports"]
    assert served["targetPort"] == port["name"]
    sleep = container["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert sleep >= 5
    assert pod_of(manifests, app)["spec"]["terminationGracePeriodSeconds"] >= sleep + WORKER_STOP_TIMEOUT_S + 5


@each_app
def test_the_variables_of_a_pod_are_known_and_none_is_missing(manifests, app: str) -> None:
    container = container_of(manifests, app)
    assert container["image"] == f"registry.example.com/portal:{portal.__version__}"
    (settings,) = of_kind(manifests, "ConfigMap").values()
    assert container["envFrom"] == [{"configMapRef": {"name": settings["metadata"]["name"]}}]
    own = {each["name"]: each["value"] for each in container["env"]}
    given = settings["data"] | own
    assert set(given) <= known_variables()
    assert settings["data"].keys() & own.keys() == set()
    assert [each.name for each in VARIABLES if each.secrecy is not Secrecy.OPEN and each.name in given] == []
    needed = {each.name for each in VARIABLES if "required otherwise" in each.default}
    assert needed <= {name.removesuffix("_FILE") for name in given}
    assert given["APP"] == app
    assert given["ALLOWED_HOSTS"] == ("auth" if app == "auth_app" else app) + ".example.com"


@each_app
def test_a_pod_sees_the_files_of_its_secrets_and_no_other_apps_key(manifests, app: str) -> None:
    container, pod = container_of(manifests, app), pod_of(manifests, app)["spec"]
    (secret,) = of_kind(manifests, "Secret").values()
    volumes = {each["name"]: each["secret"] for each in pod["volumes"] if "secret" in each}
    files = {}
    for mount in container["volumeMounts"]:
        if volume := volumes.get(mount["name"]):
            assert volume["secretName"] == secret["metadata"]["name"]
            files |= {f"{mount['mountPath']}/{item['path']}": item["key"] for item in volume["items"]}
    assert {each["value"] for each in container["env"] if each["name"].endswith("_FILE")} == set(files)
    assert set(files.values()) <= set(secret["data"])
    assert [key for key in files.values() if key.startswith("secret_key_")] == [f"secret_key_{app}"]


@each_app
def test_release_never_has_fewer_pods(manifests, app: str) -> None:
    deployment = of_kind(manifests, "Deployment")[APPS[app]]["spec"]
    assert deployment["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    assert "replicas" not in deployment, "applying it would undo what the autoscaler decided"
    assert of_kind(manifests, "HorizontalPodAutoscaler")[APPS[app]]["spec"]["minReplicas"] == 2


def test_policies_close_the_namespace(manifests) -> None:
    policies = {name: each["spec"] for name, each in of_kind(manifests, "NetworkPolicy").items()}
    assert policies["portal-nothing"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    assert [port["port"] for port in policies["portal-asked"]["ingress"][0]["ports"]] == ["http"]

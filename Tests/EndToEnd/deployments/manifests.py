"""Kubernetes, kustomize and compose: the published schemas, and what Attaché says of the settings inside."""

import contextlib
import copy
import importlib.resources
import json
import os
import shutil
import subprocess
import urllib.error
import urllib.request

import jsonschema
import kubernetes_validate
import yaml

from processes import free_ports, listens, running
from scratch import ROOT

CONFIG = ROOT / "config"
# The first with native sidecars by default, and the newest that kubernetes-validate has.
VERSIONS = ("1.29", kubernetes_validate.latest_version())
SECRETS = "/run/secrets/attache"


def run(attache, folder, checks):
    (folder / "client-secret").write_text("secret\n")
    documents = read(CONFIG / "kubernetes.yaml")
    check_schema("kubernetes.yaml", documents, checks)
    check_that_schema_is_strict(documents, checks)
    plain = by_kind(documents)
    check_pod(attache, folder, plain, checks)
    check_kustomize(attache, folder, plain["Deployment"], checks)
    check_compose(attache, folder, checks)
    for name in ("attache.yaml", "cloudant.yaml"):
        settings = folder / name
        settings.write_text((CONFIG / name).read_text().replace("/run/secrets/cloudant-apikey", str(folder / "client-secret")))
        check_settings(attache, name, ["--config", settings], checks)


def check_settings(attache, name, arguments, checks, **environment):
    """What `attache check` says of the settings in a file."""
    check = subprocess.run([attache, "check", *arguments], capture_output=True, text=True,
                           env={"PATH": os.environ["PATH"], **environment})
    checks.equal(f"exit status of attache check for {name}", check.returncode, 0, check.stdout + check.stderr)


def read(file):
    return list(yaml.safe_load_all(file.read_text()))


def by_kind(documents):
    return {each["kind"]: each for each in documents}


def check_schema(name, documents, checks):
    for version in VERSIONS:
        wrong = [error for error in (schema_error(each, version) for each in documents) if error]
        checks.equal(f"errors of the {len(documents)} objects in {name} in the schema of Kubernetes {version}", wrong, [])


def schema_error(document, version):
    try:
        kubernetes_validate.validate(document, version, strict=True)
    except kubernetes_validate.ValidationError as error:
        return f"{document['kind']}: {list(error.path)}: {error.message}"
    return None


def check_that_schema_is_strict(documents, checks):
    wrong = copy.deepcopy(by_kind(documents)["Deployment"])
    pod(wrong)["initContainers"][0]["securityContext"]["readOnlyRootFileSystem"] = True
    checks.true("that schema finds a wrong key", schema_error(wrong, VERSIONS[0]), "nothing found")


def pod(deployment):
    return deployment["spec"]["template"]["spec"]


def check_pod(attache, folder, documents, checks):
    """The sidecar as the kubelet would run it, with a token server that is away."""
    (sidecar,) = pod(documents["Deployment"])["initContainers"]
    checks.equal("restart policy of the sidecar", sidecar["restartPolicy"], "Always")
    context = sidecar["securityContext"]
    for key, wanted in (("readOnlyRootFilesystem", True), ("runAsNonRoot", True), ("allowPrivilegeEscalation", False),
                        ("capabilities", {"drop": ["ALL"]}), ("seccompProfile", {"type": "RuntimeDefault"})):
        checks.equal(f"{key} of the sidecar", context.get(key), wanted)
    settings = settings_of(documents["ConfigMap"], folder)
    check_settings(attache, "kubernetes.yaml", ["--strict", "--config", settings], checks)
    check_probes(attache, folder, documents, sidecar, checks)


def settings_of(config_map, folder):
    """The file in the ConfigMap, with the secret in this folder, and without a token server at the address."""
    settings = folder / "attache.yaml"
    text = config_map["data"]["attache.yaml"].replace(SECRETS, str(folder))
    settings.write_text(text.replace("https://idp.example", "https://127.0.0.1:1"))
    return settings


def check_probes(attache, folder, documents, sidecar, checks):
    listener, admin = free_ports(2)
    settings = settings_of(documents["ConfigMap"], folder)
    settings.write_text(settings.read_text().replace(":3128", f":{listener}"))
    # As the container's user, without capabilities, and with a root file system that is read only for it.
    folder.chmod(0o755)
    words = [word.replace("/etc/attache/attache.yaml", str(settings)).replace("9901", str(admin)) for word in sidecar["args"]]
    user = sidecar["securityContext"]
    command = ["setpriv", f"--reuid={user['runAsUser']}", f"--regid={user['runAsGroup']}", "--clear-groups",
               "--bounding-set=-all", "--no-new-privs", copy_for_all(attache, folder), *words]
    (port,) = sidecar["ports"]
    annotations = documents["Deployment"]["spec"]["template"]["metadata"]["annotations"]
    checks.equal("port of the scrape", annotations["prometheus.io/port"], str(port["containerPort"]))
    with running(command, folder / "sidecar.log", lambda: listens(admin), cwd="/"):
        for name in ("startupProbe", "livenessProbe"):
            probe = sidecar[name]["httpGet"]
            checks.equal(f"port of {name}", probe["port"], port["name"])
            status = get(admin, probe["path"])
            checks.equal(f"status of {name} without a token server", status, 200)
        checks.equal("status of /readyz without a token server", get(admin, "/readyz"), 503)
        checks.equal("status of the scrape", get(admin, annotations["prometheus.io/path"]), 200)
        checks.equal("readinessProbe of the sidecar", sidecar.get("readinessProbe"), None)


def copy_for_all(attache, folder):
    """The executable where every user can run it."""
    place = folder / "attache"
    shutil.copy(attache, place)
    place.chmod(0o755)
    return place


def get(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def check_kustomize(attache, folder, plain, checks):
    """The component gives an app the sidecar of kubernetes.yaml, and leaves other Deployments alone."""
    tools = [words for words in (["kustomize", "build"], ["kubectl", "kustomize"]) if shutil.which(words[0])]
    if not tools:
        # Debian has none that knows components, so this part needs one of another origin.
        return print("skip manifests: neither kustomize nor kubectl is installed, so the component is not built")
    trees = folder / "kustomize"
    shutil.copytree(CONFIG / "kustomize", trees)
    other = yaml.safe_load((trees / "example/deployment.yaml").read_text())
    other["metadata"] = {"name": "other-app"}
    (trees / "example/other.yaml").write_text(json.dumps(other))
    kustomization = trees / "example/kustomization.yaml"
    kustomization.write_text(kustomization.read_text().replace("[deployment.yaml]", "[deployment.yaml, other.yaml]"))
    built = subprocess.run([*tools[0], trees / "example"], capture_output=True, text=True)
    if not checks.equal(f"exit status of {' '.join(tools[0])}", built.returncode, 0, built.stderr):
        return
    documents = list(yaml.safe_load_all(built.stdout))
    check_schema("kustomize/example", documents, checks)
    named = {each["metadata"]["name"]: each for each in documents if each["kind"] == "Deployment"}
    for key in ("initContainers", "volumes", "securityContext", "terminationGracePeriodSeconds"):
        checks.true(f"{key} by kustomize are those of kubernetes.yaml", pod(named["my-app"])[key] == pod(plain)[key],
                    f"{pod(named['my-app'])[key]}, not {pod(plain)[key]}")
    checks.true("the component leaves Deployments without its label alone", "initContainers" not in pod(named["other-app"]))
    maps = {each["metadata"]["name"].rsplit("-", 1)[0]: each for each in documents if each["kind"] == "ConfigMap"}
    (container,) = pod(named["my-app"])["containers"]
    checks.equal("ConfigMap with the app's variables", container["envFrom"][0]["configMapRef"]["name"],
                 maps["attache-proxy"]["metadata"]["name"])
    (settings,) = [each for each in documents if each["kind"] == "ConfigMap" and each["metadata"]["name"] == "attache"]
    check_settings(attache, "kustomize/example", ["--strict", "--config", settings_of(settings, folder)], checks)


def check_compose(attache, folder, checks):
    (compose,) = read(CONFIG / "compose.yaml")
    vendored = importlib.resources.files("check_jsonschema") / "builtin_schemas/vendor/compose-spec.json"
    validator = jsonschema.validators.validator_for(schema := json.loads(vendored.read_text()))(schema)
    checks.equal("errors of compose.yaml in the schema of compose", [each.message for each in validator.iter_errors(compose)], [])
    wrong = copy.deepcopy(compose)
    wrong["services"]["attache"]["read_onyl"] = True
    checks.true("that schema finds a wrong key", list(validator.iter_errors(wrong)), "nothing found")
    services = compose["services"]
    checks.equal("network of the app", services["app"]["network_mode"], "service:attache")
    environment = {name: value.replace("/run/secrets", str(folder))
                   for name, value in services["attache"]["environment"].items()}
    check_settings(attache, "compose.yaml", ["--strict"], checks, **environment)
    (secret,) = compose["secrets"]
    checks.equal("secrets of the service", services["attache"]["secrets"], [secret])
    with contextlib.suppress(FileNotFoundError):
        engine = subprocess.run(["docker", "compose", "--file", CONFIG / "compose.yaml", "config", "--quiet"],
                                capture_output=True, text=True)
        # Without the plugin, docker does not know the command.
        if "unknown" not in engine.stderr and "is not a docker command" not in engine.stderr:
            checks.equal("exit status of docker compose config", engine.returncode, 0, engine.stderr)

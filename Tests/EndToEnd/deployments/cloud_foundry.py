"""The sidecar and the app of cloudfoundry.yaml, run as Cloud Foundry runs them: by a shell, with a bound service."""

import json
import pathlib
import subprocess
import urllib.request

import yaml

from certificates import make_certificates
from deployments.stand_in import standing_in
from processes import free_ports, listens, running
from scratch import ROOT

# An app that asks its backend, and shows the response.
APP = '''
import http.server, os, urllib.request

class App(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with urllib.request.urlopen(os.environ["ACCOUNT_URL"]) as answer:
            body = answer.read()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

http.server.HTTPServer(("", int(os.environ["PORT"])), App).serve_forever()
'''
# The keys of a manifest that this one uses.
APPLICATION = {"name": str, "memory": str, "services": list, "command": str, "env": dict, "sidecars": list}
SIDECAR = {"name": str, "process_types": list, "command": str, "memory": str}


def run(attache, folder, checks):
    manifest = yaml.safe_load((ROOT / "config/cloudfoundry.yaml").read_text())
    (application,) = manifest["applications"]
    (sidecar,) = application["sidecars"]
    for name, found, known in (("application", application, APPLICATION), ("sidecar", sidecar, SIDECAR)):
        wrong = [key for key, value in found.items() if not isinstance(value, known.get(key, ()))]
        checks.equal(f"keys of the {name} that are unknown or of a wrong type", wrong, [])
    certificates = make_certificates(folder / "certificates")
    with standing_in() as tokens, standing_in(certificates.server) as backend:
        check_processes(attache, folder, application, sidecar, certificates, tokens, backend, checks)


def check_processes(attache, folder, application, sidecar, certificates, tokens, backend, checks):
    droplet = folder / "app"
    droplet.mkdir()
    (droplet / "attache").symlink_to(attache)
    (droplet / "app.py").write_text(APP)
    listener, port = free_ports(2)
    common = {
        "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(droplet), "PORT": str(port), "VCAP_APP_PORT": str(port),
        "VCAP_APPLICATION": json.dumps({"application_id": "11111111-2222-3333-4444-555555555555", "application_name": "my-app"}),
        "VCAP_SERVICES": json.dumps({"AppID": [{"name": application["services"][0], "label": "AppID", "credentials": {
            "clientId": "id", "secret": "secret", "tenantId": "tenant",
            "oauthServerUrl": f"http://127.0.0.1:{tokens}/oauth/v4/tenant"}}]})}
    account = application["env"]["ACCOUNT_URL"].removeprefix("http://")
    command = sidecar["command"].replace(f"https://{account}", f"https://localhost:{backend}")
    checks.true("the sidecar's backend is that of the app", command != sidecar["command"], sidecar["command"])
    proxy = shell(command, {**common, "MEMORY_LIMIT": sidecar["memory"].lower(), "ATTACHE_LISTEN": f"127.0.0.1:{listener}",
                            "SSL_CERT_FILE": str(certificates.authority.certificate)}, droplet)
    words = application["command"].replace(":3128", f":{listener}")
    app = shell(words, {**common, "MEMORY_LIMIT": application["memory"].lower(), "ACCOUNT_URL": f"http://localhost:{backend}/"},
                droplet)
    with running(**proxy, log=folder / "sidecar.log", is_ready=lambda: listens(listener)) as process:
        with running(**app, log=folder / "app.log", is_ready=lambda: listens(port)):
            for _ in range(50):
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=30) as answer:
                    seen = json.load(answer)["authorization"]
            checks.true(f"credential that the backend sees: {seen}", seen.startswith("Bearer token-"), seen)
            memory = peak(process.pid)
            limit = int(sidecar["memory"].removesuffix("M"))
            checks.true(f"the sidecar's memory: {memory:.0f} MiB of {limit}", memory < limit, "too much")


def shell(command, environment, folder):
    """What starts a command as Cloud Foundry does; with `exec`, a signal ends the program and not only the shell."""
    words = f"exec env {command}" if "=" in command.split()[0] else f"exec {command}"
    return {"command": ["/bin/sh", "-c", words], "cwd": folder, "env": environment}


def peak(process):
    """The largest resident memory of a process in MiB."""
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) / 1024

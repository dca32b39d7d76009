"""curl through CONNECT, and a WebSocket of Python's `websockets`, to Apache, which checks the credential.

Apache passes the WebSocket on to a server behind it, after its check of the token.
"""

import pathlib
import subprocess

from attache import running_attache
from credentials import Credentials
from processes import listens, running, wait_until
from scenarios.routes import both_backends
from scratch import VENV_PYTHON

WEBSOCKET = pathlib.Path(__file__).resolve().parent.parent / "clients" / "websocket.py"


def run(servers, command, checks, _options):
    backend, folder = servers.backend, servers.folder / "tunnels"
    credentials = Credentials(servers, folder)
    configuration = {
        "credentials": {"service": credentials.client("svc-basic", "basic")},
        "routes": [{**route, "connect": "terminate"} for route in both_backends(servers, "service")],
        "connect": {"allow": [f"127.0.0.1:{backend.tls_port}"]}}
    server = [VENV_PYTHON, WEBSOCKET, "serve", str(backend.socket_port)]
    with (running(server, folder / "websocket.log", lambda: listens(backend.socket_port)),
          running_attache(command, servers.folder, configuration) as attache):
        proxy = f"http://127.0.0.1:{attache.port}"
        check_connect(backend, proxy, checks)
        wait_until(lambda: "tls-in-tunnel" in attache.log.read_text(), 10, "the log says what TLS in the tunnel needs")
        for what, url in (("", f"ws://backend.test:{backend.port}"), (" over TLS", f"ws://backend.test:{backend.tls_port}")):
            failure = ask(proxy, f"{url}/jwt/socket")
            checks.true(f"a WebSocket{what}, with the token on its handshake", not failure, failure)
        failure = ask("", f"ws://localhost:{backend.port}/jwt/socket")
        checks.true("Apache refuses a WebSocket without a token", "401" in failure, failure)


def check_connect(backend, proxy, checks):
    def curl(url, *options):
        """The status of the response, and how curl ended."""
        ended = subprocess.run(
            ["curl", "-sk", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "60", "-x", proxy, "--proxytunnel",
             *options, url], capture_output=True, text=True)
        return ended.stdout, ended.returncode

    for port in (backend.port, backend.tls_port):
        checks.equal(f"http:// inside CONNECT, port {port}", curl(f"http://backend.test:{port}/jwt/doc.json"), ("200", 0))
    checks.equal("the same by HTTP/1.0",
                 curl(f"http://backend.test:{backend.port}/jwt/doc.json", "--proxy1.0", proxy.removeprefix("http://")),
                 ("200", 0))
    # curl's 35 is a failed handshake.
    checks.equal("TLS in a terminated tunnel", curl(f"https://backend.test:{backend.tls_port}/jwt/doc.json"), ("000", 35))
    allowed = f"https://127.0.0.1:{backend.tls_port}"
    checks.equal("a tunnel that connect.allow permits", curl(f"{allowed}/open/doc.json"), ("200", 0))
    checks.equal("it carries no credential", curl(f"{allowed}/jwt/doc.json"), ("401", 0))
    # 56: the proxy refused the CONNECT.
    checks.equal("a tunnel that nothing permits", curl("https://127.0.0.1:1/"), ("000", 56))


def ask(proxy, url):
    """Why the WebSocket's client failed; nothing if it ended with 0."""
    ended = subprocess.run([VENV_PYTHON, WEBSOCKET, "ask", proxy, url], capture_output=True, text=True, timeout=110)
    return ended.returncode and f"exit status {ended.returncode}: {ended.stderr[-500:]}"

"""Every client authentication and grant that the token server knows, each through a route of its own.

Tokens bound to a key or a certificate go to places that want them so, and are refused there without the proof. A
credential that replaces its refresh token is used over several lives of a token.
"""

import pathlib
import time

from attache import running_attache
from credentials import Credentials


def run(servers, command, checks, _options):
    types = Credentials(servers, servers.folder / "credential-types")
    credentials = types.all()
    plain, over_tls = f"http://localhost:{servers.backend.port}", f"https://localhost:{servers.backend.tls_port}"
    routes = [{"name": name, "match": {"host": f"{name}.test"}, "upstream": plain, "credential": name}
              for name in credentials]
    # A DPoP token is of no use where bearer tokens are accepted.
    requests = [(name, "/jwt/doc.json", 200) for name in credentials if name != "dpop"]
    if "dpop" in credentials:
        requests += [("dpop", "/dpop/doc.json", 200), ("unbound", "/dpop/doc.json", 401)]
    if "mutual-tls" in credentials:
        ca = {"caFile": str(servers.certificates.authority.certificate)}
        for name, tls in (("certified", {**ca, **types.client_certificate()}), ("uncertified", ca)):
            routes.append({"name": name, "match": {"host": f"{name}.test"}, "upstream": over_tls, "tls": tls,
                           "credential": "mutual-tls"})
        requests += [("certified", "/mtls/doc.json", 200), ("uncertified", "/mtls/doc.json", 401)]

    configuration = {"credentials": credentials, "routes": routes}
    with running_attache(command, servers.folder, configuration) as attache:
        for name, path, wanted in requests:
            status, body = attache.ask(f"http://{name}.test{path}")
            checks.equal(f"{name} at {path}", status, wanted, body)
        if "refresh-token" in credentials:
            file = pathlib.Path(credentials["refresh-token"]["refreshToken"]["file"])
            rotated(attache, file, 3 * servers.token_server.lifetime, checks)
        attache.process.terminate()
        checks.equal("exit status on SIGTERM", attache.process.wait(timeout=30), 0)


def rotated(attache, file, seconds, checks):
    """Uses the credential for so many seconds, while each fetch replaces the refresh token in its file."""
    seen, statuses = {file.read_text()}, set()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        statuses.add(attache.ask("http://refresh-token.test/jwt/doc.json")[0])
        seen.add(file.read_text())
        time.sleep(0.1)
    checks.equal(f"refresh-token for {seconds} s", statuses, {200})
    checks.true(f"refresh tokens in turn: {len(seen)}", len(seen) >= 3, "not 3 or more")

"""Requests without a token, sent through Attaché to every protected place, over several lives of a token."""

import pathlib
import time

from attache import running_attache
from backend.apache import BEARER_PLACES
from credentials import Credentials
from scenarios.routes import both_backends


def run(servers, command, checks, _options):
    server, backend = servers.token_server, servers.backend
    credentials = Credentials(servers, servers.folder / "forwarding")
    configuration = {
        "credentials": {"service": {**credentials.client("svc-basic", "basic"), "scope": "read write"}},
        "routes": both_backends(servers, "service")}
    with running_attache(command, servers.folder, configuration) as attache:
        def status(path, port=backend.port, **more):
            return attache.ask(f"http://localhost:{port}{path}", **more)[0]

        checks.equal("/open/", status("/open/doc.json"), 200)
        for place in BEARER_PLACES:
            checks.equal(f"/{place}/", status(f"/{place}/doc.json"), 200)
            checks.equal(f"/{place}/ over TLS", status(f"/{place}/doc.json", backend.tls_port), 200)
        body = pathlib.Path(__file__).read_bytes()
        checks.equal("PUT to /dav/", status("/dav/new", method="PUT", body=body), 201)
        own = {"Authorization": "Bearer not.a.token"}
        checks.equal("a token of the app's own is replaced", status("/jwt/doc.json", fields=own), 200)
        checks.equal("a destination without a route", status("/", 1), 403)
        for second in range(1, 3 * server.lifetime + 1):
            time.sleep(1)
            what = f"/jwt/ after {second} s with tokens that live {server.lifetime} s"
            checks.equal(what, status("/jwt/doc.json"), 200)

"""Requests by path to gateways, which reach every protected place, with the Location of Apache's own responses."""

import pathlib

from attache import running_attache
from backend.apache import BEARER_PLACES
from credentials import Credentials
from scenarios.routes import both_backends


def run(servers, command, checks, _options):
    backend = servers.backend
    credentials = Credentials(servers, servers.folder / "gateway")
    ca = {"tls": {"caFile": str(servers.certificates.authority.certificate)}}
    tls_url = f"https://localhost:{backend.tls_port}"
    configuration = {
        "credentials": {"service": {**credentials.client("svc-basic", "basic"), "scope": "read write"}},
        "routes": [
            *both_backends(servers, "service"),
            {"name": "below-dav", "upstream": f"{tls_url}/dav", "credential": "service", **ca},
            {"name": "below-jwt", "upstream": f"{tls_url}/jwt", "credential": "service", **ca},
            {"name": "preserved", "upstream": tls_url, "host": "preserve", "credential": "service", **ca}]}
    gateways = ("http-localhost", "https-localhost", "below-jwt", "preserved", "below-dav")
    with running_attache(command, servers.folder, configuration, gateways) as attache:
        ports = attache.gateway_ports
        body = pathlib.Path(__file__).read_bytes()

        def status(number, path, **more):
            return attache.ask_gateway(number, path, **more)[0]

        def created(number, path):
            """The answer to PUT, and where Apache says that the new document is."""
            answered, fields, _ = attache.ask_gateway(number, path, method="PUT", body=body)
            return answered, fields["Location"]

        for place in BEARER_PLACES:
            checks.equal(f"/{place}/ through a gateway", status(0, f"/{place}/doc.json"), 200)
            checks.equal(f"/{place}/ through a gateway, over TLS", status(1, f"/{place}/doc.json"), 200)
        own = {"Authorization": "Bearer not.a.token"}
        checks.equal("a token of the app's own is replaced", status(0, "/jwt/doc.json", fields=own), 200)
        checks.equal("an upstream with a path", status(2, "/doc.json"), 200)
        checks.equal("a path that leads out of it", status(2, "/../open/doc.json"), 403)
        checks.equal("the forward proxy beside the gateways",
                     attache.ask(f"http://localhost:{backend.port}/jwt/doc.json")[0], 200)
        for number, name, path in (
                (0, "http", "/dav/a"), (1, "https", "/dav/b"), (3, "host: preserve", "/dav/c"), (4, "with a path", "/d")):
            checks.equal(f"PUT through a gateway, and its Location ({name})", created(number, path),
                         (201, f"http://127.0.0.1:{ports[number]}{path}"))
        checks.equal("a host that a web page could have", status(0, "/jwt/doc.json", fields={"Host": "page.example"}), 421)
        page = {"Origin": "https://page.example"}
        checks.equal("a web page of another site", status(0, "/jwt/doc.json", fields=page), 403)

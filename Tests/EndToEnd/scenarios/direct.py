"""Without Attaché: the backend refuses a request without a good token, so that a 200 in other scenarios proves one."""

import contextlib
import http.client
import time

from backend.apache import BEARER_PLACES
from token_servers.registration import AUDIENCE, SECRETS


def run(servers, _command, checks, _options):
    backend, trust = servers.backend, servers.certificates.trust()

    def status(place, token=None, tls=False):
        connection = (http.client.HTTPSConnection("localhost", backend.tls_port, timeout=10, context=trust) if tls
                      else http.client.HTTPConnection("localhost", backend.port, timeout=10))
        with contextlib.closing(connection):
            fields = {"Authorization": f"Bearer {token}"} if token else {}
            connection.request("GET", f"/{place}/doc.json", headers=fields)
            return connection.getresponse().status

    token = issue(servers.token_server, "read write")
    end = time.monotonic() + servers.token_server.lifetime + 1
    checks.equal("/open/ without a token", status("open"), 200)
    for place in BEARER_PLACES:
        checks.equal(f"/{place}/ with a token", status(place, token), 200)
        checks.equal(f"/{place}/ over TLS with a token", status(place, token, tls=True), 200)
        checks.equal(f"/{place}/ without a token", status(place), 401)
        checks.equal(f"/{place}/ with a wrong token", status(place, "not.a.token"), 401)
    for place in ("mtls", "dpop"):
        checks.equal(f"/{place}/ over TLS with a token that is not bound", status(place, token, tls=True), 401)
    narrow = issue(servers.token_server, "read")
    checks.equal("/write/ with a token of scope read", status("write", narrow), 401)
    time.sleep(max(0, end - time.monotonic()))
    for place in BEARER_PLACES:
        checks.equal(f"/{place}/ with an expired token", status(place, token), 401)


def issue(server, scope):
    form = {"grant_type": "client_credentials", "scope": scope, "resource": AUDIENCE}
    return server.issue(form, ("svc-basic", SECRETS["svc-basic"]))["access_token"]

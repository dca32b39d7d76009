"""Glewlwyd: an authorization server in C, over TLS, that also knows mutual TLS (RFC 8705) and DPoP (RFC 9449)."""

import contextlib
import gzip
import http.cookiejar
import json
import pathlib
import sqlite3
import urllib.error
import urllib.request

from certificates import make_rsa_key
from processes import free_ports, listens, running
from token_servers.registration import AUDIENCE, AUTHENTICATION, SCOPES, SECRETS
from token_servers.token_server import TokenServer

CLIENTS = frozenset(AUTHENTICATION) - {"svc-public"}
# Which of the two files there is depends on whether dpkg leaves documentation out.
SCHEMAS = (pathlib.Path("/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3"),
           pathlib.Path("/usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz"))


@contextlib.contextmanager
def glewlwyd(folder, lifetime, certificates):
    """Runs Glewlwyd on a free port, with everything that it writes in a new folder."""
    folder.mkdir()
    (port,) = free_ports(1)
    base = f"https://localhost:{port}"
    signing, client = make_rsa_key(folder, "signing"), make_rsa_key(folder, "svc-key")
    make_database(folder / "glewlwyd.db")
    configuration = folder / "glewlwyd.conf"
    template = pathlib.Path(__file__).with_name("glewlwyd.conf").read_text()
    configuration.write_text(template.format(
        port=port, base=base, folder=folder, authority=certificates.authority.certificate,
        certificate=certificates.server.certificate, key=certificates.server.key))
    with running(["glewlwyd", "-c", configuration], folder / "output.log", lambda: listens(port), cwd=folder):
        administrator = Administrator(f"{base}/api", certificates.trust())
        administrator.add_scopes()
        administrator.add_issuer(f"{base}/api/oidc", lifetime, signing)
        administrator.add_clients(client)
        issuer = f"{base}/api/oidc"
        yield TokenServer(
            "glewlwyd", issuer, f"{issuer}/token", f"{issuer}/jwks", f"{issuer}/introspect", lifetime, CLIENTS,
            signing[1], client[0], certificates.trust())


def make_database(path):
    """Glewlwyd's own schema, with the client properties that DPoP and mutual TLS need and the schema lacks."""
    packed = SCHEMAS[1]
    schema = SCHEMAS[0].read_text() if SCHEMAS[0].exists() else gzip.decompress(packed.read_bytes()).decode()
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.executescript(schema)
        (parameters,) = database.execute("SELECT gcmi_parameters FROM g_client_module_instance").fetchone()
        parameters = json.loads(parameters)
        parameters["data-format"]["dpop_client_bound"] = {"multiple": False, "read": True, "write": True}
        database.execute("UPDATE g_client_module_instance SET gcmi_parameters = ?", [json.dumps(parameters)])


class Administrator:
    """A session of Glewlwyd's administration interface."""

    def __init__(self, api, trust):
        self.api = api
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trust),
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        self.post("/auth", {"username": "admin", "password": "password"})

    def post(self, path, body):
        request = urllib.request.Request(
            self.api + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        try:
            self.opener.open(request, timeout=10).read()
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"Glewlwyd answers POST {path} with {error.code} {error.read()!r}") from error

    def add_scopes(self):
        for scope in SCOPES:
            self.post("/scope", {"name": scope, "display_name": scope, "password_required": False, "scheme": {}})

    def add_issuer(self, issuer, lifetime, signing):
        private, public = signing
        self.post("/mod/plugin", {"module": "oidc", "name": "oidc", "display_name": "oidc", "parameters": {
            "iss": issuer, "jwt-type": "rsa", "jwt-key-size": "256", "key": private.read_text(),
            "cert": public.read_text(), "jwks-show": True, "access-token-duration": lifetime,
            "refresh-token-duration": 1209600, "code-duration": 600, "refresh-token-rolling": False,
            "allow-non-oidc": True, "auth-type-client-enabled": True, "auth-type-code-enabled": True,
            "auth-type-refresh-enabled": True, "subject-type": "public", "allowed-scope": ["openid", *SCOPES],
            "request-parameter-allow": True, "request-maximum-exp": 3600, "client-pubkey-parameter": "pubkey",
            "client-jwks-parameter": "jwks", "client-jwks_uri-parameter": "jwks_uri",
            "introspection-revocation-allowed": True, "introspection-revocation-allow-target-client": True,
            "resource-allowed": True, "resource-client-property": "resource",
            "oauth-dpop-allowed": True, "oauth-dpop-iat-duration": 60,
            "oauth-dpop-dpop_bound_access_tokens-property": "dpop_client_bound",
            "client-cert-source": "TLS", "client-cert-self-signed-allowed": False}})

    def add_clients(self, client_key):
        special = {"svc-key": {"pubkey": client_key[1].read_text()}, "svc-dpop": {"dpop_client_bound": "1"},
                   "svc-mtls": {"tls_client_auth_san_dns": "svc-mtls.test"}}
        for name in sorted(CLIENTS):
            secret = {"client_secret": SECRETS[name]} if name in SECRETS else {}
            self.post("/client", {
                "client_id": name, "name": name, "confidential": True, "enabled": True,
                "authorization_type": ["client_credentials"], "redirect_uri": [], "scope": list(SCOPES),
                "resource": [AUDIENCE], "token_endpoint_auth_method": AUTHENTICATION[name],
                **secret, **special.get(name, {})})

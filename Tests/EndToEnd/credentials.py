"""The credentials that a token server knows, as Attaché's configuration takes them."""

from token_servers.registration import API_KEY, AUDIENCE, KEY_ID, PASSWORD, SECRETS, USER


class Credentials:
    """Writes the settings, and secrets to files of a new folder."""

    def __init__(self, servers, folder):
        self.server, self.certificates, self.folder = servers.token_server, servers.certificates, folder
        folder.mkdir()
        self.tls = {"caFile": str(self.certificates.authority.certificate)} if self.server.trust else None

    def all(self):
        """Every client authentication and grant that the token server knows, by a name for each."""
        # Glewlwyd does not decode the pair of HTTP Basic, as RFC 6749 section 2.3.1 wants it to.
        basic = "basicRaw" if self.server.name == "glewlwyd" else "basic"
        found = {
            "basic": self.client("svc-basic", "basic"), "basic-raw": self.client("svc-basic", "basicRaw"),
            "post": self.client("svc-post", "post"), "post-odd": self.client("svc-odd", "post"),
            "odd": self.client("svc-odd", basic), "client-secret-jwt": self.client("svc-jwt", "clientSecretJwt"),
            "private-key-jwt": self.client("svc-key", "privateKeyJwt", clientAssertion=self.assertion()),
            "discovery": self.client(
                "svc-key", "privateKeyJwt", {"issuer": self.server.issuer}, clientAssertion=self.assertion()),
        }
        if "svc-mtls" in self.server.clients:
            found["mutual-tls"] = self.client("svc-mtls", "mutualTls")
            found["mutual-tls"]["tls"].update(self.client_certificate())
        if "svc-dpop" in self.server.clients:
            found["dpop"] = self.client("svc-dpop", "basic", dpop=True)
            found["unbound"] = self.client("svc-basic", "basic")
        if "svc-public" in self.server.clients:
            found["ibm-iam"] = {
                "type": "ibmIam", "tokenUrl": f"{self.server.issuer}/identity/token",
                "apikey": self.secret("apikey", API_KEY)}
            found["refresh-token"] = {
                "type": "refreshToken", "tokenUrl": self.server.token_url, "clientId": "svc-public",
                "clientAuthentication": "none", "refreshToken": self.secret("refresh-token", self.refresh_token())}
        return found

    def client(self, name, authentication, endpoint=None, **more):
        """A `clientCredentials` credential of the client `name`."""
        settings = {
            "type": "clientCredentials", "clientId": name, "clientAuthentication": authentication, "scope": "read",
            "resource": AUDIENCE, **(endpoint or {"tokenUrl": self.server.token_url}), **more}
        if name in SECRETS:
            settings["clientSecret"] = self.secret(name, SECRETS[name])
        if self.tls:
            settings["tls"] = dict(self.tls)
        return settings

    def client_certificate(self):
        """The client's certificate, as `tls` takes it."""
        pair = self.certificates.client
        return {"clientCertificate": str(pair.certificate), "clientKey": str(pair.key)}

    def assertion(self):
        return {"privateKey": {"file": str(self.server.client_key)}, "keyId": KEY_ID}

    def secret(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return {"file": str(path)}

    def refresh_token(self):
        form = {"grant_type": "password", "username": USER, "password": PASSWORD, "client_id": "svc-public",
                "scope": "read"}
        return self.server.issue(form)["refresh_token"]

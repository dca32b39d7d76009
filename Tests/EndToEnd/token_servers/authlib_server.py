#!/usr/bin/env python3
"""A token server of the Authlib library behind Flask and gunicorn, without TLS.

It knows client_credentials, password, refresh_token (each use gives a new refresh token) and IBM Cloud IAM's API key
grant, and it answers introspection (RFC 7662).
"""

import argparse
import os
import pathlib
import time

from authlib.common.security import generate_token
from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import grants
from authlib.oauth2.rfc6749.errors import InvalidGrantError
from authlib.oauth2.rfc7523 import JWTBearerClientAssertion
from authlib.oauth2.rfc7662 import IntrospectionEndpoint
from authlib.oauth2.rfc9068 import JWTBearerTokenGenerator
from flask import Flask, jsonify, request
from gunicorn.app.base import BaseApplication
from joserfc.jwk import KeySet, RSAKey

from authlib_records import Client, Tokens, User
from registration import API_KEY, AUDIENCE, AUTHENTICATION, PASSWORD, USER

API_KEY_GRANT = "urn:ibm:params:oauth:grant-type:apikey"
METHODS = ["client_secret_basic", "client_secret_post", "client_assertion_jwt"]


def token_grants(clients, tokens, lifetime):
    """The grants, as Authlib wants them: classes."""

    class ClientCredentials(grants.ClientCredentialsGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = METHODS

    class Password(grants.ResourceOwnerPasswordCredentialsGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

        def authenticate_user(self, name, password):
            return User(name) if (name, password) == (USER, PASSWORD) else None

    class Refresh(grants.RefreshTokenGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = ["none"]
        INCLUDE_NEW_REFRESH_TOKEN = True

        def authenticate_refresh_token(self, value):
            token = tokens.find("refresh_token", value)
            return token if token and not token.revoked else None

        def authenticate_user(self, token):
            return token.user

        def revoke_old_credential(self, token):
            token.revoked = True

    class ApiKey(grants.BaseGrant, grants.TokenEndpointMixin):
        GRANT_TYPE = API_KEY_GRANT

        def validate_token_request(self):
            if self.request.form.get("apikey") != API_KEY:
                raise InvalidGrantError("Provided API key could not be found.")
            self.request.client, self.request.user = clients["svc-public"], User("iam-ServiceId-1")

        def create_token_response(self):
            answer = self.generate_token(
                user=self.request.user, scope="read", grant_type=self.GRANT_TYPE, include_refresh_token=False)
            answer["expiration"] = int(time.time()) + lifetime
            self.save_token(answer)
            return 200, answer, self.TOKEN_RESPONSE_HEADER

    return ClientCredentials, Password, Refresh, ApiKey


def application(folder, issuer, lifetime):
    app, tokens = Flask("token server"), Tokens()
    public_key = RSAKey.import_key((folder / "svc-key.pub").read_bytes())
    signing_key = RSAKey.import_key((folder / "signing.key").read_bytes(), {"use": "sig", "alg": "RS256"})
    signing_key.ensure_kid()
    clients = {name: Client(name, public_key) for name in AUTHENTICATION if name not in ("svc-mtls", "svc-dpop")}

    class Generator(JWTBearerTokenGenerator):
        def get_jwks(self):
            return KeySet([signing_key])

        def get_audiences(self, client, user, scope):
            # RFC 8707.
            return request.form.get("resource", AUDIENCE)

    class Assertion(JWTBearerClientAssertion):
        def get_audiences(self):
            return [issuer, f"{issuer}/token"]

        def validate_jti(self, claims, jti):
            return tokens.is_first_use((claims["sub"], jti))

        def resolve_client_public_key(self, client):
            return client.key

    class Introspection(IntrospectionEndpoint):
        CLIENT_AUTH_METHODS = METHODS

        def check_permission(self, token, client, of_request):
            return True

        def query_token(self, value, hint):
            return tokens.find("access_token", value)

        def introspect_token(self, token):
            name = token.client.client_id
            return {"active": not token.revoked and not token.is_expired(), "token_type": "Bearer", "client_id": name,
                    "sub": name, "scope": token.get_scope(), "aud": AUDIENCE, "iss": issuer,
                    "iat": int(token.issued), "exp": int(token.issued + lifetime)}

    server = AuthorizationServer(app, query_client=clients.get, save_token=tokens.save)
    server.register_token_generator("default", Generator(
        issuer=issuer, expires_generator=lambda client, grant: lifetime,
        refresh_token_generator=lambda *_, **__: generate_token(48)))
    for grant in token_grants(clients, tokens, lifetime):
        server.register_grant(grant)
    server.register_client_auth_method("client_assertion_jwt", Assertion())
    server.register_endpoint(Introspection)

    app.post("/token", endpoint="token")(lambda: server.create_token_response())
    app.post("/identity/token", endpoint="iam")(lambda: server.create_token_response())
    app.post("/introspect", endpoint="introspect")(lambda: server.create_endpoint_response("introspection"))
    app.get("/jwks", endpoint="keys")(lambda: jsonify({"keys": [signing_key.as_dict(private=False)]}))
    app.get("/.well-known/openid-configuration", endpoint="discovery")(lambda: jsonify(
        {"issuer": issuer, "token_endpoint": f"{issuer}/token", "jwks_uri": f"{issuer}/jwks",
         "introspection_endpoint": f"{issuer}/introspect"}))
    return app


class Gunicorn(BaseApplication):
    def __init__(self, app, settings):
        self.app, self.settings = app, settings
        super().__init__()

    def load_config(self):
        for name, value in self.settings.items():
            self.cfg.set(name, value)

    def load(self):
        return self.app


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", required=True, type=pathlib.Path, help="holds signing.key and svc-key.pub")
    parser.add_argument("--port", required=True, type=int)
    parser.add_argument("--lifetime", required=True, type=int, help="seconds that a token lives")
    options = parser.parse_args()
    # Without it the library refuses plain HTTP.
    os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
    app = application(options.folder, f"http://localhost:{options.port}", options.lifetime)
    Gunicorn(app, {
        "bind": [f"127.0.0.1:{options.port}"], "workers": 1, "worker_class": "gthread", "threads": 8, "keepalive": 30,
        "accesslog": str(options.folder / "access.log")}).run()


if __name__ == "__main__":
    main()

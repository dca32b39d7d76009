"""What the server of authlib_server.py knows: clients, users, and the tokens that it has issued."""

import threading
import time

from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin
from joserfc.jwk import OctKey

from registration import AUTHENTICATION, SCOPES, SECRETS


class Client(ClientMixin):
    def __init__(self, name, public_key):
        self.client_id, self.methods, self.secret = name, AUTHENTICATION[name], SECRETS.get(name)
        if "client_secret_jwt" in self.methods:
            self.key = OctKey.import_key(self.secret)
        elif "private_key_jwt" in self.methods:
            self.key = public_key

    def get_client_id(self):
        return self.client_id

    def get_allowed_scope(self, scope):
        return " ".join(word for word in (scope or "").split() if word in SCOPES)

    def check_client_secret(self, secret):
        return self.secret == secret

    def check_endpoint_auth_method(self, method, endpoint):
        signs = {"private_key_jwt", "client_secret_jwt"}.intersection(self.methods)
        return method in self.methods or (method == "client_assertion_jwt" and bool(signs))

    def check_grant_type(self, _):
        return True


class User:
    def __init__(self, name):
        self.name = name

    def get_user_id(self):
        return self.name


class Token(TokenMixin):
    def __init__(self, client, user, answer):
        self.client, self.user, self.answer, self.issued, self.revoked = client, user, answer, time.time(), False

    def check_client(self, client):
        return self.client.client_id == client.client_id

    def get_scope(self):
        return self.answer.get("scope", "")

    def get_expires_in(self):
        return self.answer["expires_in"]

    def is_revoked(self):
        return self.revoked

    def is_expired(self):
        return time.time() > self.issued + self.get_expires_in()

    def get_user(self):
        return self.user

    def get_client(self):
        return self.client


class Tokens:
    """All tokens that have been issued, and the assertions that have been used."""

    def __init__(self):
        self.lock, self.tokens, self.assertions = threading.Lock(), [], set()

    def save(self, answer, of_request):
        with self.lock:
            self.tokens.append(Token(of_request.client, of_request.user, answer))

    def find(self, kind, value):
        with self.lock:
            return next((token for token in self.tokens if token.answer.get(kind) == value), None)

    def is_first_use(self, assertion):
        with self.lock:
            is_first = assertion not in self.assertions
            self.assertions.add(assertion)
            return is_first

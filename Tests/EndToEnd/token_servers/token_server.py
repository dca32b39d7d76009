"""A running token server, as the backend and the scenarios see it."""

import base64
import dataclasses
import json
import pathlib
import ssl
import urllib.parse
import urllib.request


@dataclasses.dataclass(frozen=True)
class TokenServer:
    """The URLs of a token server, and the keys that belong to it."""
    name: str
    issuer: str
    token_url: str
    keys_url: str
    introspection_url: str
    # Seconds that a token lives.
    lifetime: int
    clients: frozenset
    signing_key: pathlib.Path
    client_key: pathlib.Path
    # Trusted for https URLs; None for a server without TLS.
    trust: ssl.SSLContext | None

    def keys(self):
        """The public keys, as JWKs."""
        return self._ask(urllib.request.Request(self.keys_url))["keys"]

    def issue(self, form, basic=None):
        """The answer to a token request; `basic` is a pair of client id and secret without odd characters."""
        request = urllib.request.Request(self.token_url, urllib.parse.urlencode(form).encode())
        if basic:
            request.add_header("Authorization", "Basic " + base64.b64encode(":".join(basic).encode()).decode())
        return self._ask(request)

    def _ask(self, request):
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=self.trust))
        with opener.open(request, timeout=10) as answer:
            return json.load(answer)

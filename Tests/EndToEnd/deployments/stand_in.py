"""A token server and a backend in this process, whose answers depend on the path."""

import contextlib
import http.server
import itertools
import json
import ssl
import threading

# Seconds; short, so that renewals happen during a run.
TOKEN_LIFE = 60


class StandIn(http.server.BaseHTTPRequestHandler):
    """`POST /token` issues a token, `POST /broken` none; of the backend, `/refuse/…` refuses the first token that it sees,
    `/fail` answers 500, and everything else shows the credential that came with the request."""
    protocol_version = "HTTP/1.1"
    numbers = itertools.count(1)
    refused = set()

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.endswith("/token"):
            self.answer(200, {"access_token": f"token-{next(self.numbers)}", "token_type": "Bearer", "expires_in": TOKEN_LIFE})
        else:
            self.answer(503, {"error": "temporarily_unavailable"})

    def do_GET(self):
        if self.path.startswith("/refuse/") and self.path not in self.refused:
            self.refused.add(self.path)
            self.answer(401, {}, ("WWW-Authenticate", 'Bearer error="invalid_token"'))
        else:
            self.answer(500 if self.path == "/fail" else 200, {"authorization": self.headers.get("Authorization")})

    def answer(self, status, contents, *fields):
        body = json.dumps(contents).encode()
        self.send_response(status)
        for name, value in (("Content-Type", "application/json"), ("Content-Length", str(len(body))), *fields):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def standing_in(pair=None):
    """Serves on a free port of 127.0.0.1, over TLS if there is a certificate with its key; gives the port."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
    if pair:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pair.certificate, pair.key)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()

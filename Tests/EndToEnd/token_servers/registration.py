"""What every token server of these tests is told: its clients, users and scopes."""

AUDIENCE = "https://backend.test/"
SCOPES = ("read", "write")
KEY_ID = "1"
USER, PASSWORD = "alice", "wonderland"
API_KEY = "apikey-of-the-service"

SECRETS = {
    "svc-basic": "s3cret-of-the-service",
    "svc-post": "s3cret-of-the-service",
    # The characters that RFC 6749 section 2.3.1 is about.
    "svc-odd": "p:q%41+r&s=t/é ü",
    # HS256 needs a secret of at least 256 bits.
    "svc-jwt": "s3cret-of-the-service, long enough for HS256",
    "svc-dpop": "s3cret-of-the-service",
}

AUTHENTICATION = {
    "svc-basic": ["client_secret_basic"],
    "svc-post": ["client_secret_post"],
    "svc-odd": ["client_secret_basic", "client_secret_post"],
    "svc-jwt": ["client_secret_jwt"],
    "svc-key": ["private_key_jwt"],
    "svc-mtls": ["tls_client_auth"],
    "svc-dpop": ["client_secret_basic"],
    "svc-public": ["none"],
}

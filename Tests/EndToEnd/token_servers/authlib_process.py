"""The token server of authlib_server.py, run by the Python of the venv."""

import contextlib
import pathlib

from certificates import make_rsa_key
from processes import free_ports, listens, running
from scratch import VENV_PYTHON
from token_servers.registration import AUTHENTICATION
from token_servers.token_server import TokenServer


@contextlib.contextmanager
def authlib(folder, lifetime, _certificates):
    """Runs the server on a free port without TLS, with everything that it writes in a new folder."""
    folder.mkdir()
    (port,) = free_ports(1)
    issuer = f"http://localhost:{port}"
    signing, client = make_rsa_key(folder, "signing"), make_rsa_key(folder, "svc-key")
    program = pathlib.Path(__file__).with_name("authlib_server.py")
    command = [VENV_PYTHON, program, "--folder", folder, "--port", port, "--lifetime", lifetime]
    with running(command, folder / "output.log", lambda: listens(port)):
        yield TokenServer(
            "authlib", issuer, f"{issuer}/token", f"{issuer}/jwks", f"{issuer}/introspect", lifetime,
            frozenset(AUTHENTICATION) - {"svc-mtls", "svc-dpop"}, signing[1], client[0], None)

"""The servers of a run: a token server, and a backend that accepts its tokens."""

import contextlib
import dataclasses
import pathlib

from backend.apache import Backend, apache
from certificates import Certificates, make_certificates
from token_servers.authlib_process import authlib
from token_servers.glewlwyd import glewlwyd
from token_servers.token_server import TokenServer

# Short, so that every scenario sees tokens expire.
LIFETIME = 4
TOKEN_SERVERS = {"glewlwyd": glewlwyd, "authlib": authlib}


@dataclasses.dataclass(frozen=True)
class Servers:
    """What a scenario works with. It may write below `folder`."""
    folder: pathlib.Path
    certificates: Certificates
    token_server: TokenServer
    backend: Backend


@contextlib.contextmanager
def running_servers(name, folder):
    """Runs the named token server and the backend."""
    certificates = make_certificates(folder / "certificates")
    with TOKEN_SERVERS[name](folder / "token-server", LIFETIME, certificates) as token_server:
        with apache(folder / "backend", token_server, certificates) as backend:
            yield Servers(folder, certificates, token_server, backend)

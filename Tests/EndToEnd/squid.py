"""squid as the parent proxy, with a user and a password."""

import contextlib
import dataclasses
import pathlib
import subprocess

from processes import free_ports, listens, running

USER, PASSWORD = "attache", "Parent:passw0rd"

CONFIGURATION = """
http_port 127.0.0.1:{port}
hosts_file {folder}/hosts
auth_param basic program /usr/lib/squid/basic_ncsa_auth {folder}/users
acl users proxy_auth REQUIRED
acl denied dstdomain denied.test
http_access deny denied
http_access allow users
http_access deny all
cache deny all
cache_mem 8 MB
pid_filename none
logfile_rotate 0
logformat short %rm %ru %>Hs %un %{{Authorization}}>h
access_log stdio:{folder}/access.log short
cache_log {folder}/cache.log
coredump_dir {folder}
shutdown_lifetime 0 seconds
"""


@dataclasses.dataclass(frozen=True)
class Squid:
    """A running squid."""
    port: int
    access_log: pathlib.Path

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def lines(self):
        """Method, URL, status, user and Authorization of each request so far."""
        return [line.split(" ", 4) for line in self.access_log.read_text().splitlines()]


@contextlib.contextmanager
def running_squid(folder):
    """Runs squid, which finds `backend.test` on this machine and demands the password."""
    folder.mkdir()
    # squid lays off root's rights.
    folder.chmod(0o777)
    (port,) = free_ports(1)
    hashed = subprocess.run(["openssl", "passwd", "-apr1", "-stdin"], input=PASSWORD, capture_output=True, text=True, check=True)
    (folder / "users").write_text(f"{USER}:{hashed.stdout.strip()}\n")
    (folder / "hosts").write_text("127.0.0.1 backend.test\n")
    (folder / "squid.conf").write_text(CONFIGURATION.format(port=port, folder=folder))
    log = folder / "access.log"
    with running(["squid", "-N", "-f", folder / "squid.conf"], folder / "output.log", lambda: listens(port)):
        yield Squid(port, log)

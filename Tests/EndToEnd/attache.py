"""The program under test."""

import contextlib
import dataclasses
import http.client
import itertools
import json
import pathlib
import subprocess

from processes import free_ports, listens, running, wait_until

names = (f"attache-{number}" for number in itertools.count(1))


@dataclasses.dataclass(frozen=True)
class Attache:
    """A running Attaché."""
    process: subprocess.Popen
    port: int
    admin_port: int
    log: pathlib.Path
    gateway_ports: tuple = ()

    def connect(self):
        """A connection to the listener. Its requests take http:// URLs."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def ask(self, url, method="GET", fields=None, body=None):
        """The status and text of the response to one request."""
        with contextlib.closing(self.connect()) as connection:
            connection.request(method, url, body, fields or {})
            answer = connection.getresponse()
            return answer.status, answer.read().decode(errors="replace")

    def ask_gateway(self, number, path, method="GET", fields=None, body=None):
        """The status, header fields and text of the response to one request by path to a gateway."""
        connection = http.client.HTTPConnection("127.0.0.1", self.gateway_ports[number], timeout=30)
        with contextlib.closing(connection):
            connection.request(method, path, body, fields or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode(errors="replace")

    def admin(self, path):
        """The status and text of a page of the admin listener."""
        connection = http.client.HTTPConnection("127.0.0.1", self.admin_port, timeout=10)
        with contextlib.closing(connection):
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def wait_until_ready(self):
        """Returns when every credential can be attached."""
        wait_until(lambda: self.admin("/readyz")[0] == 200, 30, "/readyz answers 200")


@contextlib.contextmanager
def running_attache(command, folder, configuration, gateways=()):
    """Runs `command` (words) on free ports with `configuration`, and waits until it listens.

    Each of `gateways` names the route of a gateway listener."""
    port, admin_port, *gateway_ports = free_ports(2 + len(gateways))
    own = folder / next(names)
    own.mkdir()
    # Attaché in an image is another user than the one that runs this, so both must be able to read here.
    own.chmod(0o755)
    file = own / "attache.yaml"
    # JSON is YAML.
    file.write_text(json.dumps({
        "listeners": [{"address": f"127.0.0.1:{port}"}, *(
            {"address": f"127.0.0.1:{own_port}", "mode": "gateway", "route": route}
            for own_port, route in zip(gateway_ports, gateways))],
        "admin": {"address": f"127.0.0.1:{admin_port}"},
        **configuration}, indent=1))
    log = own / "output.log"
    with running([*command, "run", "--config", file], log, lambda: listens(port)) as process:
        yield Attache(process, port, admin_port, log, tuple(gateway_ports))

"""The executable under test: its configuration, its life, and what it and the kernel say about it."""

import asyncio
import json
import os
import re
import signal
import socket

from routes import BABBLE, DEAD, ROUTES, STATIC_KEY

CONNECTIONS = ("downstream", "upstream")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def configuration(directory, port, admin, token_urls, backend_ports):
    """`token_urls` maps credentials to URL and client authentication, `backend_ports` routes to ports."""
    def route(route):
        upstream = {"name": route.name, "match": {"host": route.host},
                    "upstream": f"{route.scheme}://127.0.0.1:{backend_ports[route.name]}"}
        if route.credential is not None:
            upstream["credential"] = route.credential
        if route.scheme == "https":
            upstream["tls"] = {"caFile": str(directory / "certificate.pem"), "serverName": "backend.soak"}
        return upstream

    credentials = {name: {"type": "clientCredentials", "tokenUrl": url, "clientId": name, "clientAuthentication": way,
                          "clientSecret": f"soak-secret-{name}"} for name, (url, way) in token_urls.items()}
    credentials["key"] = {"type": "static", "value": STATIC_KEY, "header": "X-Api-Key", "scheme": "none"}
    return {
        "listeners": [{"address": f"127.0.0.1:{port}"}],
        "credentials": credentials,
        "routes": [route(each) for each in (*ROUTES, DEAD, BABBLE)],
        # Far above what a busy machine needs, and short enough that a hang ends within the run.
        "limits": {"headTimeout": "10s", "bodyTimeout": "15s", "connectTimeout": "15s", "responseTimeout": "15s",
                   "streamIdleTimeout": "15s", "idleTimeout": "60s", "acquireTimeout": "6s"},
        "admin": {"address": f"127.0.0.1:{admin}"},
        "accessLog": {"path": str(directory / "access.log")},
        "shutdown": {"gracePeriod": "20s"},
    }


class Proxy:
    def __init__(self, executable, directory):
        self.executable = executable
        self.directory = directory
        self.port = free_port()
        self.admin = free_port()
        self.process = None

    async def start(self, token_urls, backend_ports):
        # JSON is YAML.
        path = self.directory / "attache.yaml"
        path.write_text(json.dumps(
            configuration(self.directory, self.port, self.admin, token_urls, backend_ports), indent=1))
        with open(self.directory / "stderr", "wb") as errors:
            self.process = await asyncio.create_subprocess_exec(
                self.executable, "run", "--config", str(path), stdout=errors, stderr=errors)
        while (await self.page("/readyz"))[0] != 200:
            if self.process.returncode is not None:
                raise SystemExit(f"{self.executable} did not start:\n{(self.directory / 'stderr').read_text()}")
            await asyncio.sleep(0.05)

    async def stop(self):
        """Ends the process as an orchestrator does; returns its exit status."""
        if self.process is None:
            return "none, as it was never started"
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return await asyncio.wait_for(self.process.wait(), 60)
        except asyncio.TimeoutError:
            self.process.kill()
            await self.process.wait()
            return "none within 60 s of SIGTERM"

    async def page(self, path):
        """Status and text of an admin page; 0 where nobody answers."""
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.admin)
        except OSError:
            return 0, ""
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        text = (await reader.read()).decode()
        writer.close()
        return int(text.split(" ", 2)[1]), text.partition("\r\n\r\n")[2]

    async def metrics(self):
        """The numbers of /metrics by name and labels."""
        _, text = await self.page("/metrics")
        return {name: float(value) for name, value in re.findall(r"^([^#\s]\S*) (\S+)$", text, re.MULTILINE)}

    async def connections(self):
        metrics = await self.metrics()
        return [int(metrics[f'attache_connections{{side="{side}"}}']) for side in CONNECTIONS]

    # What the kernel says

    def descriptors(self):
        """What each open descriptor is."""
        folder = f"/proc/{self.process.pid}/fd"
        open_ones = []
        for name in os.listdir(folder):
            try:
                open_ones.append(os.readlink(f"{folder}/{name}"))
            except FileNotFoundError:
                pass
        return open_ones

    def peers(self):
        """The ports that its connections lead to; 0 for a listener."""
        open_ones = set(self.descriptors())
        with open("/proc/net/tcp") as table:
            rows = [line.split() for line in list(table)[1:]]
        return [int(row[2].partition(":")[2], 16) for row in rows if f"socket:[{row[9]}]" in open_ones]

    def memory(self):
        """Resident and anonymous KiB, and the number of threads."""
        with open(f"/proc/{self.process.pid}/status") as status:
            numbers = dict(re.findall(r"^(VmRSS|RssAnon|Threads):\s+(\d+)", status.read(), re.MULTILINE))
        return int(numbers["VmRSS"]), int(numbers["RssAnon"]), int(numbers["Threads"])

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

"""One run from start to end: servers, proxy, warm-up, load with faults, quiet, and the report."""

import asyncio
import collections
import contextlib
import random
import ssl
import subprocess

import clock
import report
from backend import Backend
from doors import Babbler, LateDoor, ShutDoor
from judge import Judge
from load import Load
from proxy import Proxy
from samples import BOUND_KIB, Samples
from token_server import TokenServer, TokenServers

WARM_UP_ROUNDS = 20
FAULT_SHARE = 0.25
# Until all connections have gone that nobody needs.
QUIET = 30


class Run:
    def __init__(self, executable, seconds, seed, clients, directory):
        self.seconds = seconds
        self.seed = seed
        self.directory = directory
        self.lag = clock.Lag()
        self.judge = Judge(self.lag)
        self.exchanges = {}
        self.tokens = TokenServers([
            TokenServer(self._rng("north"), self.judge, {"one": "basic", "three": "post"}),
            TokenServer(self._rng("south"), self.judge, {"two": "basic"})])
        self.backends = []
        self.shut_door = ShutDoor()
        self.proxy = Proxy(executable, directory)
        self.samples = Samples(self.proxy)
        self.load = Load(self.proxy.port, self.judge, self.exchanges, seed, clients)
        self.statistics = {}

    def _rng(self, name):
        return random.Random(f"{self.seed}/{name}")

    async def judged(self):
        """Whether all was as it must be."""
        beat = asyncio.create_task(self.lag.run())
        try:
            await self.proxy.start(*await self._open_servers())
            await self._run()
        except OSError as error:
            self.judge.fail(f"the proxy cannot be reached: {error}")
        finally:
            status = await self.proxy.stop()
        if status != 0:
            self.judge.fail(f"exit status {status}:\n{(self.directory / 'stderr').read_text()[-2000:]}")
        self._check_log()
        beat.cancel()
        print(report.text(self))
        return not self.judge.failures

    # Servers

    async def _open_servers(self):
        certificate, key = self.directory / "certificate.pem", self.directory / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
             "2", "-subj", "/CN=backend.soak", "-addext", "subjectAltName=DNS:backend.soak", "-keyout", key, "-out",
             certificate], check=True, capture_output=True)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate, key)
        backends = {}
        for names, context in ((["plain"], None), (["again"], None), (["open"], None), (["key"], None),
                               (["tls", "late"], tls)):
            backend = Backend(names, self.judge, self.tokens, self.exchanges, context)
            await backend.open()
            self.backends.append(backend)
            backends |= dict.fromkeys(names, backend)
        late, babbler = LateDoor(self._rng("late"), backends["late"].port), Babbler()
        await late.open()
        await babbler.open()
        backends["late"].authorities.add(f"127.0.0.1:{late.port}")
        urls = {}
        for server in self.tokens.servers:
            await server.open()
            for name, way in server.credentials.items():
                urls[name] = (f"http://127.0.0.1:{server.port}/token", way)
        self.judge.tokens, self.judge.backends = self.tokens, backends
        ports = {name: backend.port for name, backend in backends.items()}
        return urls, ports | {"late": late.port, "babble": babbler.port, "dead": self.shut_door.port}

    async def _restart_backends(self):
        rng = self._rng("restarts")
        while True:
            await asyncio.sleep(rng.uniform(5, 25))
            await rng.choice(self.backends).restart(rng.uniform(0.05, 1.5))

    # Phases

    async def _run(self):
        await self.load.run("warm-up", self.seconds, 0, WARM_UP_ROUNDS)
        before = await self._quiet()
        chaos = [asyncio.create_task(each) for each in (
            self._restart_backends(), *(server.misbehave() for server in self.tokens.servers))]
        sampling = asyncio.create_task(self.samples.run(self.seconds))
        await self.load.run("load", self.seconds, FAULT_SHARE)
        sampling.cancel()
        for task in chaos:
            task.cancel()
        for result in await asyncio.gather(sampling, *chaos, return_exceptions=True):
            if isinstance(result, Exception):
                raise result
        after = await self._quiet()
        if after > before:
            self.judge.fail(f"{after} descriptors with nobody there, {before} after the warm-up:\n"
                            + "\n".join(self.proxy.descriptors()) + f"\nports of peers: {self.proxy.peers()}")
        self.tokens.check_recovery(clock.now())
        growth = self.samples.growth()
        if growth > BOUND_KIB:
            self.judge.fail(f"anonymous memory grew by {growth:.0f} KiB, allowed are {BOUND_KIB}")
        await self._check_metrics()
        self.statistics |= {"descriptors after warm-up, at the end": f"{before}, {after}",
                            "growth of anonymous memory": f"{growth:.0f} KiB, allowed {BOUND_KIB}"}

    async def _quiet(self):
        """Waits until nobody is connected on either side; the number of descriptors then."""
        for backend in self.backends:
            backend.close_idle()
        end, counts = clock.now() + QUIET, []
        while len(counts) < 10 and clock.now() < end:
            if await self.proxy.connections() == [0, 0]:
                counts.append(self._descriptors())
            await asyncio.sleep(0.1)
        if not counts:
            self.judge.fail(f"connections left after {QUIET} s without clients: {await self.proxy.connections()}")
            return self._descriptors()
        # The fewest: the admin listener is asked here.
        return min(counts)

    def _descriptors(self):
        """How many are open, but for the fetches of tokens, which may be under way at any time and for long."""
        token_servers = {server.port for server in self.tokens.servers}
        fetches = sum(port in token_servers for port in self.proxy.peers())
        return len(self.proxy.descriptors()) - fetches

    # Counts

    async def _check_metrics(self):
        metrics = await self.proxy.metrics()
        codes = collections.Counter()
        for name, value in metrics.items():
            if name.startswith("attache_requests_total"):
                codes[name.rpartition('code="')[2].partition('"')[0]] += int(value)
        total, seen = sum(codes.values()), self.judge.statuses
        for code, count in seen.items():
            if codes[code] < count:
                self.judge.fail(f"clients saw status {code} {count} times, the metrics count {codes[code]}")
        if not 0 <= total - sum(seen.values()) <= self.judge.unanswered:
            self.judge.fail(f"the metrics count {total} requests, clients saw {sum(seen.values())} answers and none of "
                            f"{self.judge.unanswered}")
        durations = sum(value for name, value in metrics.items()
                        if name.startswith("attache_request_duration_seconds_count"))
        if total != durations:
            self.judge.fail(f"{total} requests by code, {durations:.0f} durations")
        self.logged = total - int(metrics["attache_access_log_dropped_lines_total"])
        fetched = sum(value for name, value in metrics.items() if 'result="success"' in name)
        failed = sum(value for name, value in metrics.items() if 'result="failure"' in name)
        self.statistics |= {"requests by metrics, answers at clients, without answer":
                            f"{total}, {sum(seen.values())}, {self.judge.unanswered}",
                            "tokens fetched, failed fetches": f"{fetched:.0f}, {failed:.0f}",
                            "connections accepted": f"{metrics['attache_connections_accepted_total']:.0f}"}

    def _check_log(self):
        lines = 0
        with contextlib.suppress(FileNotFoundError), open(self.directory / "access.log", "rb") as log:
            for line in log:
                lines += 1
                if b"soak-token" in line or b"soak-secret" in line:
                    self.judge.fail(f"a secret in the access log: {line}")
        if lines != getattr(self, "logged", lines):
            self.judge.fail(f"{lines} lines in the access log, {self.logged} by the metrics")
        errors = (self.directory / "stderr").read_text()
        if "soak-token" in errors or "soak-secret" in errors:
            self.judge.fail("a secret in the standard streams")

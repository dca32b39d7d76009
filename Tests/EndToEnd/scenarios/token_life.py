"""Load on tokens of a few seconds. Apache's log says for each request when it came and when its token expires.

All must hold: every answer is 200, also at the backend, where Attaché could hide a refusal; each request came there
once, with the token that it asked for; no token came there at or past its `exp`; each credential fetched as many tokens
as the policy says, and none in vain; on SIGTERM the requests under way are answered and the exit status is 0.
"""

import collections
import re
import threading
import time

from attache import running_attache
from credentials import Credentials
from scenarios.load import Client, ask, print_table
from scenarios.token_policy import judge

UNDER_WAY = 2
KINDS = ("basic", "private-key-jwt", "dpop", "mutual-tls", "refresh-token")
PLACES = collections.defaultdict(lambda: "/jwt", {"dpop": "/dpop", "mutual-tls": "/mtls"})


def run(servers, command, checks, options):
    types = Credentials(servers, servers.folder / "token-life")
    credentials = {name: settings for name, settings in types.all().items() if name in KINDS}
    # Tokens that depend on the request: each connection asks for two in turn.
    credentials["by-request"] = {**types.client("svc-basic", "basic"), "scope": "{header:X-Scope}"}
    configuration = {
        "credentials": credentials, "accessLog": {"path": "off"},
        # Each worker has its copy of every token.
        "workers": 2, "routes": [route(name, servers, types) for name in credentials]}
    with running_attache(command, servers.folder, configuration) as attache:
        attache.wait_until_ready()
        before, began = fetches(attache), time.monotonic()
        clients = [Client(attache, name, PLACES[name], began + options.seconds, options.pause)
                   for name in credentials for _ in range(options.clients)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        seconds, after = time.monotonic() - began, fetches(attache)
        sent = collections.Counter()
        for client in clients:
            sent[client.credential] += len(client.times)
        other = [status for client in clients for status in client.statuses if status != 200]
        checks.true(f"{sum(sent.values())} requests answered in {seconds:.1f} s", not other, f"but: {other[:10]}")
        drain(attache, sent, checks)
    arrivals = servers.backend.arrivals.complete(sent)
    rows = []
    for name in credentials:
        fetched = [late - early for late, early in zip(after[name], before[name])]
        seen = judge(name, arrivals[name], sent[name], fetched, seconds, servers.token_server.lifetime, checks)
        rows.append((name, sent[name], fetched[0], seen, [client for client in clients if client.credential == name]))
    print_table(rows)


def route(name, servers, types):
    settings = {"name": name, "match": {"host": f"{name}.test"}, "credential": name}
    if PLACES[name] != "/mtls":
        return {**settings, "upstream": f"http://localhost:{servers.backend.port}"}
    ca = {"caFile": str(servers.certificates.authority.certificate)}
    upstream = f"https://localhost:{servers.backend.tls_port}"
    return {**settings, "upstream": upstream, "tls": {**ca, **types.client_certificate()}}


def fetches(attache):
    """Token requests that have ended, by credential: how many brought a token, and how many did not."""
    counted = collections.defaultdict(lambda: [0, 0])
    pattern = r'^attache_token_fetches_total\{credential="([^"]*)",result="(success|failure)"\} (\d+)$'
    for name, result, count in re.findall(pattern, attache.admin("/metrics")[1], re.MULTILINE):
        counted[name][result == "failure"] = int(count)
    return counted


def drain(attache, sent, checks):
    """Sends SIGTERM while each credential has a request under way, which takes longer than a connection may idle."""
    statuses = {}

    def slow(name):
        statuses[name] = ask(attache.connect(), name, f"{PLACES[name]}/slow?{UNDER_WAY}", "read")

    threads = [threading.Thread(target=slow, args=(name,)) for name in sent]
    for thread in threads:
        thread.start()
    time.sleep(UNDER_WAY / 2)
    attache.process.terminate()
    for thread in threads:
        thread.join()
    sent.update(statuses.keys())
    checks.equal("requests under way at SIGTERM", set(statuses.values()), {200})
    checks.equal("exit status on SIGTERM", attache.process.wait(timeout=60), 0)

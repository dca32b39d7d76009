"""squid and another Attaché as parent proxies: what each backend and each proxy sees, and how refusals end."""

from attache import running_attache
from credentials import Credentials
from processes import free_ports, wait_until
from squid import PASSWORD, USER, running_squid

RESOLVE = {"backend.test": "127.0.0.1"}


def run(servers, command, checks, _options):
    folder = servers.folder / "parents"
    credentials = Credentials(servers, folder)
    with running_squid(folder / "squid") as squid:
        settings = {"url": squid.url, "username": USER, "password": credentials.secret("password", PASSWORD + "\n")}
        through_squid(servers, command, checks, credentials, squid, settings)
        refusals(servers, command, checks, credentials, squid, settings)
    (closed,) = free_ports(1)
    configuration = routes(servers, credentials, {"url": f"http://127.0.0.1:{closed}"})
    with running_attache(command, servers.folder, configuration) as attache:
        named(checks, "a parent that does not run", attache.ask(secure(servers)), closed, "connection-refused")
    through_attache(servers, command, checks, credentials)


def plain(servers, host="backend.test"):
    return f"http://{host}:{servers.backend.port}/jwt/doc.json"


def secure(servers, host="backend.test"):
    return f"http://{host}:{servers.backend.tls_port}/jwt/doc.json"


def routes(servers, credentials, proxy, **more):
    """Routes to the backend, plain and over TLS, with names that only a parent proxy or `resolve` knows."""
    backend = servers.backend
    service = credentials.client("svc-basic", "basic", {"tokenUrl": servers.token_server.token_url, "allowPlaintext": True})
    return {
        "credentials": {"service": service},
        "tls": {"caFile": str(servers.certificates.authority.certificate)},
        "routes": [
            {"name": f"{host}-{port}", "match": {"host": host, "port": port}, "credential": "service",
             "upstream": f"{scheme}://{host}:{port}", "allowPlaintext": True}
            for host in ("backend.test", "denied.test")
            for scheme, port in (("http", backend.port), ("https", backend.tls_port))],
        "upstreamProxy": proxy, **more}


def through_squid(servers, command, checks, credentials, squid, settings):
    backend = servers.backend
    configuration = routes(servers, credentials, settings, tokenServerProxy=settings)
    token_url = servers.token_server.token_url.replace("127.0.0.1", "backend.test").replace("localhost", "backend.test")
    configuration["credentials"]["service"]["tokenUrl"] = token_url
    with running_attache(command, servers.folder, configuration) as attache:
        checks.equal("an http backend through squid", attache.ask(plain(servers))[0], 200)
        checks.equal("an https backend through squid", attache.ask(secure(servers))[0], 200)
        wait_until(lambda: any(line[1] == plain(servers) for line in squid.lines()), 10, "squid logs the request")
        checks.equal("an https backend again, over the same tunnel", attache.ask(secure(servers))[0], 200)
    wait_until(lambda: any(line[1] == f"backend.test:{backend.tls_port}" for line in squid.lines()), 10, "squid logs the tunnel")
    tokens = token_url.split("/")[2]
    seen = {line[1]: line for line in squid.lines()}
    checks.true("squid saw the http request with its credential", seen[plain(servers)][4].startswith("Bearer"),
                seen[plain(servers)])
    tunnel = seen[f"backend.test:{backend.tls_port}"]
    checks.equal("squid saw of the https requests", (tunnel[0], tunnel[3], tunnel[4]), ("CONNECT", USER, "-"))
    checks.true("squid carried the token request", tokens in seen or token_url in seen, sorted(seen))
    with running_attache(command, servers.folder, routes(
            servers, credentials, {**settings, "noProxy": ["*.test"]}, resolve=RESOLVE)) as attache:
        before = len(squid.lines())
        checks.equal("noProxy", attache.ask(plain(servers))[0], 200)
        checks.equal("noProxy over TLS", attache.ask(secure(servers))[0], 200)
        checks.equal("requests that squid saw meanwhile", len(squid.lines()) - before, 0)


def refusals(servers, command, checks, credentials, squid, settings):
    with running_attache(command, servers.folder, routes(servers, credentials, settings)) as attache:
        named(checks, "squid denies a CONNECT", attache.ask(secure(servers, "denied.test")), squid.port, "403")
        checks.equal("squid denies a request", attache.ask(plain(servers, "denied.test"))[0], 403)
    wrong = {**settings, "password": "wrong"}
    with running_attache(command, servers.folder, routes(servers, credentials, wrong)) as attache:
        for what, url in (("http", plain(servers)), ("https", secure(servers))):
            named(checks, f"a wrong password, {what}", attache.ask(url), squid.port, "refused the user name or password (407)")
    with running_attache(command, servers.folder, routes(servers, credentials, {"url": squid.url})) as attache:
        named(checks, "no password", attache.ask(secure(servers)), squid.port, "demands a user name and password (407)")
    configuration = routes(servers, credentials, settings)
    (closed,) = free_ports(1)
    configuration["routes"].append(
        {"match": {"host": "gone.test"}, "upstream": f"https://backend.test:{closed}", "credential": "service"})
    with running_attache(command, servers.folder, configuration) as attache:
        named(checks, "a backend that squid cannot reach", attache.ask("http://gone.test/"), squid.port, "503")


def named(checks, what, answer, port, words):
    """Expects an error of Attaché's own that names the parent proxy."""
    status, text = answer
    holds = status == 502 and f"parent proxy 127.0.0.1:{port}" in text and words in text
    checks.true(f"{what}: 502 that names the proxy", holds, (status, text))


def through_attache(servers, command, checks, credentials):
    backend = servers.backend
    parent = {"unmatched": "forward", "resolve": RESOLVE, "connect": {"allow": [f"backend.test:{backend.tls_port}"]}}
    with running_attache(command, servers.folder, parent) as outer:
        proxy = {"url": f"http://127.0.0.1:{outer.port}"}
        with running_attache(command, servers.folder, routes(servers, credentials, proxy)) as attache:
            checks.equal("an http backend through another Attaché", attache.ask(plain(servers))[0], 200)
            checks.equal("an https backend through another Attaché", attache.ask(secure(servers))[0], 200)
            named(checks, "another Attaché denies a CONNECT", attache.ask(secure(servers, "denied.test")), outer.port, "403")

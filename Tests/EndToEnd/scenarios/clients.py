"""HTTP clients of several languages, each with five requests in one process, and the refusal of CONNECT.

Two clients of Node are missing. `fetch` of Node 20 ignores HTTP_PROXY. undici's ProxyAgent opens a tunnel with CONNECT
even for http:// URLs, which the scenario `tunnels` does with curl.
"""

import collections
import contextlib
import http.client
import os
import pathlib
import shutil
import subprocess
import sys

from attache import running_attache
from credentials import Credentials
from scenarios.routes import both_backends
from scratch import VENV_PYTHON

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "clients"


def commands(folder, port):
    """The command of each client, without the URLs."""
    java = ["java", "-Dhttp.proxyHost=127.0.0.1", f"-Dhttp.proxyPort={port}"]
    return {
        "curl": ["sh", PROGRAMS / "curl.sh"], "wget": ["sh", PROGRAMS / "wget.sh"],
        "python urllib": [sys.executable, PROGRAMS / "python_urllib.py"],
        "python requests": [VENV_PYTHON, PROGRAMS / "python_requests.py"],
        "python httpx": [VENV_PYTHON, PROGRAMS / "python_httpx.py"],
        "python aiohttp": [VENV_PYTHON, PROGRAMS / "python_aiohttp.py"],
        "java HttpClient": [*java, PROGRAMS / "JavaHttpClient.java"],
        "java HttpURLConnection": [*java, PROGRAMS / "JavaHttpURLConnection.java"],
        "go net/http": ["go", "run", PROGRAMS / "nethttp.go"], "perl LWP": ["perl", PROGRAMS / "lwp.pl"],
        "ruby Net::HTTP": ["ruby", PROGRAMS / "net_http.rb"], "php streams": ["php", PROGRAMS / "streams.php"],
        "swift URLSession": [folder / "URLSession"]}


def run(servers, command, checks, _options):
    folder = servers.folder / "clients"
    credentials = Credentials(servers, folder)
    configuration = {"credentials": {"service": credentials.client("svc-basic", "basic")},
                     "routes": both_backends(servers, "service")}
    with running_attache(command, servers.folder, configuration) as attache:
        built = subprocess.run(["swiftc", PROGRAMS / "URLSession.swift", "-o", folder / "URLSession"],
                               capture_output=True, text=True)
        checks.equal("swiftc builds URLSession", built.returncode, 0, built.stderr)
        for number, (name, words) in enumerate(commands(folder, attache.port).items()):
            place = f"/jwt/echo/{number}"
            plain = f"http://backend.test:{servers.backend.port}{place}"
            # Also http://, as apps beside Attaché write it.
            over_tls = f"http://backend.test:{servers.backend.tls_port}{place}"
            urls = (f"{plain}/first?q=a%20b", f"{plain}/second", f"{plain}/post", f"{over_tls}/tls", f"{plain}/last")
            problem = failure(words, urls, attache.port, folder)
            checks.true(name, not problem, problem)
            arrivals = servers.backend.arrivals.below(f"{place}/", len(urls))
            accepted = [arrival for arrival in arrivals if arrival.status == 200 and arrival.token != "-"]
            checks.equal(f"{name}: requests that the backend accepted", len(accepted), len(urls))
        checks.equal("CONNECT to a host with a credential", connect(attache, servers.backend.tls_port), 403)


def failure(command, urls, port, folder):
    """Why a client failed; nothing if it ended with 0."""
    if not shutil.which(command[0]):
        return f"{command[0]} is not installed"
    proxy = f"http://127.0.0.1:{port}"
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    environment |= {"http_proxy": proxy, "HTTP_PROXY": proxy, "GO111MODULE": "off", "GOCACHE": str(folder / "go")}
    try:
        ended = subprocess.run([*map(str, command), *urls], env=environment, cwd=folder, capture_output=True, text=True,
                               timeout=110)
    except subprocess.TimeoutExpired:
        return "no end after 110 s"
    return ended.returncode and f"exit status {ended.returncode}: {ended.stderr[-500:]}{ended.stdout[-500:]}"


def connect(attache, port):
    """The status of CONNECT."""
    with contextlib.closing(attache.connect()) as connection:
        connection.request("CONNECT", f"backend.test:{port}")
        return connection.getresponse().status

"""Alert rules and dashboard: a real Prometheus scrapes Attaché under traffic, and alerts fire."""

import contextlib
import http.client
import itertools
import json
import pathlib
import re
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import yaml

from attache import running_attache
from certificates import make_certificates
from deployments.grafana import lost_in_model
from deployments.stand_in import TOKEN_LIFE, standing_in
from processes import free_ports, running, stop, wait_until
from scratch import ROOT

RULES = ROOT / "config/prometheus-rules.yaml"
DASHBOARD = ROOT / "config/grafana-dashboard.json"
HERE = pathlib.Path(__file__).resolve().parent


def run(attache, folder, checks):
    rules = subprocess.run(["promtool", "check", "rules", "--lint-fatal", RULES], capture_output=True, text=True)
    checks.equal("exit status of promtool check rules", rules.returncode, 0, rules.stdout + rules.stderr)
    check_rule_tests(folder, checks)
    board = json.loads(DASHBOARD.read_text())
    checks.equal("what Grafana's model of a dashboard does not know", lost_in_model(board), [])
    with watched(attache, folder) as (proxy, prometheus, file):
        check_queries(proxy, prometheus, board, checks)
        check_alerts(proxy, prometheus, file, checks)


def check_rule_tests(folder, checks):
    """Each alert has a test in which it fires. The tests compare labels and not texts."""
    rules, tests = (yaml.safe_load(file.read_text()) for file in (RULES, HERE / "rules-test.yaml"))
    alerts = [rule for group in rules["groups"] for rule in group["rules"]]
    for alert in alerts:
        checks.equal(f"annotations of {alert['alert']}", sorted(alert.pop("annotations")), ["description", "summary"])
    (folder / "rules-without-texts.yaml").write_text(json.dumps(rules))
    (folder / "test.yaml").write_text(json.dumps({"rule_files": ["rules-without-texts.yaml"], **tests}))
    done = subprocess.run(["promtool", "test", "rules", folder / "test.yaml"], capture_output=True, text=True)
    checks.equal("exit status of promtool test rules", done.returncode, 0, done.stdout + done.stderr)
    fire = {case["alertname"] for each in tests["tests"] for case in each["alert_rule_test"] if case.get("exp_alerts")}
    checks.equal("alerts without a test in which they fire", sorted({alert["alert"] for alert in alerts} - fire), [])


class Prometheus:
    """The HTTP interface of a Prometheus server."""

    def __init__(self, port):
        self.address = f"http://127.0.0.1:{port}"

    def ask(self, path, **parameters):
        with urllib.request.urlopen(f"{self.address}{path}?{urllib.parse.urlencode(parameters)}", timeout=10) as answer:
            return json.load(answer)["data"]

    def values(self, query):
        """The results of a query, or an error as text."""
        try:
            return self.ask("/api/v1/query", query=query)["result"]
        except urllib.error.HTTPError as error:
            return error.read().decode()

    def alerts(self):
        """The firing alerts."""
        return [each for each in self.ask("/api/v1/alerts")["alerts"] if each["state"] == "firing"]

    def firing(self):
        """The names of firing alerts, each with its credential or None."""
        return {(each["labels"]["alertname"], each["labels"].get("credential")) for each in self.alerts()}

    def is_ready(self):
        try:
            with urllib.request.urlopen(f"{self.address}/-/ready", timeout=2):
                return True
        except OSError:
            return False


@contextlib.contextmanager
def watched(attache, folder):
    """Attaché under traffic, with one credential that fails, and a Prometheus that scrapes it every second."""
    certificates = make_certificates(folder / "certificates")
    with standing_in() as tokens, standing_in(certificates.server) as backend:
        with running_attache([attache], folder, configuration(folder, certificates, tokens, backend)) as proxy:
            with traffic(proxy), prometheus_of(proxy, folder) as prometheus:
                yield proxy, prometheus, proxy.log.parent / "attache.yaml"


def configuration(folder, certificates, tokens, backend):
    secret = folder / "client-secret"
    secret.write_text("secret\n")
    client = {"type": "clientCredentials", "clientId": "app", "clientSecret": {"file": str(secret)}}
    good, upstream = f"http://127.0.0.1:{tokens}/token", f"https://localhost:{backend}"
    return {
        "reloadOnChange": False,
        "tls": {"caFile": str(certificates.authority.certificate), "clientCertificate": str(certificates.client.certificate),
                "clientKey": str(certificates.client.key)},
        "credentials": {
            "orders": {**client, "tokenUrl": good},
            "billing": {**client, "tokenUrl": f"http://127.0.0.1:{tokens}/broken"},
            "tenants": {**client, "tokenUrl": good, "scope": "read:{header:X-Tenant}"}},
        "routes": [
            {"name": name, "match": {"host": f"{name}.test"}, "upstream": upstream, "credential": name}
            for name in ("orders", "billing", "tenants")],
    }


@contextlib.contextmanager
def traffic(proxy):
    """Requests of every kind, until the end."""
    ended = threading.Event()

    def send():
        for number in itertools.count():
            for url in ("http://orders.test/", "http://orders.test/fail", f"http://orders.test/refuse/{number}",
                        "http://billing.test/", "http://tenants.test/", "http://other.test/"):
                if ended.wait(0.05):
                    return
                # The proxy may be stopped at the end.
                with contextlib.suppress(OSError, http.client.HTTPException):
                    proxy.ask(url, fields={"X-Tenant": f"tenant{number % 3}"})

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextlib.contextmanager
def prometheus_of(proxy, folder):
    """A Prometheus whose rules have a second for each minute."""
    (port,) = free_ports(1)
    rules = folder / "rules.yaml"
    rules.write_text(re.sub(r"\b(\d+)m\b", r"\1s", RULES.read_text()))
    settings = folder / "prometheus.yaml"
    settings.write_text(json.dumps({
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"}, "rule_files": [str(rules)],
        "scrape_configs": [
            {"job_name": "attache", "static_configs": [{"targets": [f"127.0.0.1:{proxy.admin_port}"]}]}]}))
    prometheus = Prometheus(port)
    command = ["prometheus", f"--config.file={settings}", f"--storage.tsdb.path={folder}/prometheus",
               f"--web.listen-address=127.0.0.1:{port}"]
    with running(command, folder / "prometheus.log", prometheus.is_ready):
        yield prometheus


def check_queries(proxy, prometheus, board, checks):
    _, page = proxy.admin("/metrics")
    lint = subprocess.run(["promtool", "check", "metrics"], input=page, capture_output=True, text=True)
    checks.equal("what promtool check metrics finds", lint.stdout + lint.stderr, "")
    known = set(re.findall(r"^# TYPE (\S+)", page, re.MULTILINE))
    expressions = [target["expr"] for panel in board["panels"] for target in panel.get("targets", [])]
    expressions += [each["expr"] for each in board["annotations"]["list"]]
    used = set(re.findall(r"\b(?:attache|process)_\w+", " ".join(expressions) + RULES.read_text()))
    used = {name if name in known else re.sub(r"_(bucket|sum|count)$", "", name) for name in used}
    checks.equal("metrics of rules and dashboard that /metrics does not have", sorted(used - known), [])
    missing = {name for name in known if name.startswith("attache_")} - used
    print(f"note monitoring: metrics that neither rules nor dashboard show: {sorted(missing)}")
    for panel in board["panels"]:
        for target in panel.get("targets", []):
            check_query(prometheus, panel["title"], filled(target["expr"]), checks)
    for variable in board["templating"]["list"]:
        if variable["type"] == "query":
            selector, label = re.fullmatch(r"label_values\((.+), (\w+)\)", variable["query"]["query"]).groups()
            values = prometheus.ask(f"/api/v1/label/{label}/values", **{"match[]": filled(selector)})
            checks.true(f"values of the dashboard's variable {variable['name']}: {values}", len(values) == 1, "not one")
    (left,) = prometheus.values('attache_token_expiry_seconds{credential="orders"}')
    checks.true(f"seconds to the end of the token, by Prometheus: {left['value'][1]}", 0 < float(left["value"][1]) < TOKEN_LIFE,
                "not within its life")


def filled(expression):
    """An expression of the dashboard with a value for each variable of Grafana."""
    return expression.replace("$__rate_interval", "10s").replace("$job", ".*").replace("$instance", ".*")


def check_query(prometheus, title, query, checks):
    """Waits for values: some need two scrapes, or a renewal."""
    deadline = time.monotonic() + 30
    values = prometheus.values(query)
    while isinstance(values, list) and not values and time.monotonic() < deadline:
        time.sleep(0.5)
        values = prometheus.values(query)
    checks.true(f"values of the panel {title}: {len(values)}", values and isinstance(values, list), f"{values}: {query}")


def check_alerts(proxy, prometheus, file, checks):
    began = time.monotonic()
    # A broken configuration, which Attaché does not load.
    file.write_text("listeners: [")
    proxy.process.send_signal(signal.SIGHUP)
    for name, credential in (("AttacheNoToken", "billing"), ("AttacheTokenFetchFails", "billing"), ("AttacheErrors", None),
                             ("AttacheTokensRefused", "orders"), ("AttacheReloadFailed", None)):
        check_alert(prometheus, name, credential, began, checks)
    quiet = {name for name, credential in prometheus.firing() if credential in ("orders", "tenants")}
    checks.equal("alerts of the credentials that work", quiet - {"AttacheTokensRefused"}, set())
    broken = [text for each in prometheus.alerts() for text in each["annotations"].values() if "<error" in text]
    checks.equal("texts of alerts that Prometheus cannot write", broken, [])
    stop(proxy.process)
    check_alert(prometheus, "AttacheDown", None, time.monotonic(), checks)


def check_alert(prometheus, name, credential, began, checks):
    with contextlib.suppress(TimeoutError):
        wait_until(lambda: (name, credential) in prometheus.firing(), 40, f"{name} fires")
    firing = prometheus.firing()
    of = f" of {credential}" if credential else ""
    checks.true(f"{name}{of} fires after {time.monotonic() - began:.0f} s", (name, credential) in firing, str(firing))

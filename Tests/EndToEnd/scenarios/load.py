"""Clients that send the same request again and again, and the table of what they saw."""

import http.client
import threading
import time

SCOPES = ("read", "write")


class Client(threading.Thread):
    """One connection to Attaché, kept open, with a pause between requests."""

    def __init__(self, attache, credential, place, until, pause):
        super().__init__(daemon=True)
        self.attache, self.credential, self.place, self.until, self.pause = attache, credential, place, until, pause
        self.times, self.statuses, self.connections = [], set(), 0

    def run(self):
        connection = self.attache.connect()
        due = time.monotonic()
        while due < self.until:
            time.sleep(max(0, due - time.monotonic()))
            self.connections += connection.sock is None
            began = time.monotonic()
            status = ask(connection, self.credential, f"{self.place}/doc.json", SCOPES[len(self.times) % 2])
            self.times.append(time.monotonic() - began)
            self.statuses.add(status)
            if status != 200:
                connection.close()
            due = max(due + self.pause, time.monotonic())
        connection.close()


def ask(connection, credential, path, scope):
    """The status, or why there is none."""
    # Attaché removes the field that chooses the token, so a second field tells Apache's log.
    fields = {"X-Scope": scope, "X-Wanted": scope} if credential == "by-request" else {"X-Wanted": "read"}
    try:
        connection.request("GET", f"http://{credential}.test{path}", headers={"X-Credential": credential, **fields})
        answer = connection.getresponse()
        answer.read()
        return answer.status
    except (OSError, http.client.HTTPException) as error:
        return f"none ({error!r})"


def print_table(rows):
    """Each row: credential, requests, fetches, what was seen of its tokens, its clients."""
    print(f"{'credential':16}{'requests':>9}{'connections':>12}{'fetched':>8}{'tokens':>7}{'oldest s':>9}{'left s':>8}"
          f"{'p50 ms':>8}{'p99 ms':>8}{'max ms':>8}")
    for credential, requests, fetched, seen, clients in rows:
        times = sorted(1000 * each for client in clients for each in client.times)
        p50, p99, most = (times[min(len(times) - 1, int(len(times) * part))] for part in (0.5, 0.99, 1))
        connections = sum(client.connections for client in clients)
        print(f"{credential:16}{requests:9}{connections:12}{fetched:8}{seen.tokens:7}{seen.age:9.3f}{seen.left:8.3f}"
              f"{p50:8.1f}{p99:8.1f}{most:8.1f}")

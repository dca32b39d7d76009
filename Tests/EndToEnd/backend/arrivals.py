"""Apache's own record of the requests that came."""

import collections
import dataclasses
import time


@dataclasses.dataclass(frozen=True)
class Arrival:
    """One request. Times are seconds since 1970; claims that the token lacks are None."""
    at: float
    status: int
    issued: int | None
    expires: int | None
    token: str
    scope: str
    wanted: str
    path: str


class Arrivals:
    """The log that `httpd.conf` calls `arrivals`."""

    def __init__(self, path):
        self.path = path

    def by_credential(self):
        """Arrivals by their field X-Credential."""
        found = collections.defaultdict(list)
        for line in self.path.read_text().splitlines():
            credential, at, status, issued, expires, token, scope, wanted, path = line.split("\t")
            found[credential].append(Arrival(
                int(at) / 1e6, int(status), number(issued), number(expires), token, scope, wanted, path))
        return found

    def complete(self, sent):
        """The arrivals by credential, once as many are logged as were sent."""
        return self._once(lambda found: all(len(found[name]) >= count for name, count in sent.items()))

    def below(self, path, count):
        """The arrivals below a path, once `count` are logged."""
        def matching(found):
            return [arrival for group in found.values() for arrival in group if arrival.path.startswith(path)]

        return matching(self._once(lambda found: len(matching(found)) >= count))

    def _once(self, is_complete):
        """Waits up to 10 s. Apache writes a line when the answer has left, which may be a little later."""
        deadline = time.monotonic() + 10
        while not is_complete(found := self.by_credential()) and time.monotonic() < deadline:
            time.sleep(0.1)
        return found


def number(text):
    return None if text == "-" else int(text)

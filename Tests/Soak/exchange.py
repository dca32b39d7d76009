"""One request with its answer: what is planned, and what has become of it."""

import dataclasses

from content import digest

IDEMPOTENT = {"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"}


@dataclasses.dataclass
class Exchange:
    number: int
    client: int
    route: "Route"
    method: str
    version: str = "1.1"
    # The request's body: "none", "length" or "chunked".
    body: str = "none"
    body_size: int = 0
    expects: bool = False
    slow_writer: bool = False
    slow_reader: bool = False
    closes: bool = False
    own_authorization: bool = False
    # The answer: "none", "length", "chunked" or "close".
    status: int = 200
    answer: str = "length"
    answer_size: int = 0
    interim: int = 0
    answer_closes: bool = False
    slow_backend: bool = False
    fault: "Fault | None" = None
    # A number below 1 that the fault may use to choose a place or a variant.
    dice: float = 0.0

    # What has happened.
    started: float = 0.0
    ended: float = 0.0
    whole_arrivals: int = 0
    # What each head that arrived had for Authorization.
    credentials: list = dataclasses.field(default_factory=list)
    # The backend gave the last arrival up without a byte of an answer, so that it may be sent again.
    unanswered: bool = False
    # Outcomes that something from outside may bring, with the reason.
    excused: dict = dataclasses.field(default_factory=dict)
    history: list = dataclasses.field(default_factory=list)

    @property
    def id(self):
        return f"c{self.client}-{self.number}"

    @property
    def key(self):
        return self.client * 100_003 + self.number

    @property
    def is_idempotent(self):
        return self.method in IDEMPOTENT

    @property
    def has_answer_body(self):
        return self.method != "HEAD" and self.status not in (204, 304)

    @property
    def request_digest(self):
        return digest(self.key, self.body_size)

    @property
    def answer_digest(self):
        return digest(self.key + 1, self.answer_size if self.has_answer_body else 0)

    def fault_is(self, *names):
        return self.fault is not None and self.fault.name in names

    @property
    def fault_outcomes(self):
        return self.fault.outcomes if self.fault else ("answered",)

    def note(self, now, text):
        self.history.append((now, text))

    def __str__(self):
        flags = [name for name in ("expects", "slow_writer", "slow_reader", "slow_backend", "closes", "answer_closes",
                                   "own_authorization") if getattr(self, name)]
        return (f"{self.id} {self.method} {self.route.host} HTTP/{self.version} body {self.body} {self.body_size} -> "
                f"{self.status} {self.answer} {self.answer_size} interim {self.interim} {' '.join(flags)} "
                f"fault {self.fault.name if self.fault else 'none'}")

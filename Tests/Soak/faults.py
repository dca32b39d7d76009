"""The faults of clients and backends, and which outcomes each one excuses. Anything else is a failure.

Outcomes: "answered" (the backend's planned answer, whole), "STATUS TYPE" (an answer of the proxy itself, with the error
type of its Proxy-Status), "cut" (an answer that ended inside), "gone" (no byte of an answer), "abandoned" (the client left).
"""

import dataclasses

from routes import BABBLE, DEAD, NOWHERE, named

TERMINATED = "502 connection_terminated"
MALFORMED_ANSWER = "502 http_protocol_error"
ANSWER_TIMEOUT = "504 http_response_timeout"
NO_CREDENTIAL = "503 proxy_internal_response"
BAD_REQUEST = "400 http_request_error"
TOO_SLOW = "408 http_request_error"
DENIED = "403 http_request_denied"


@dataclasses.dataclass(frozen=True)
class Fault:
    name: str
    side: str
    outcomes: tuple
    weight: float = 1.0
    # Makes the exchange one that the fault can hit.
    shape: "callable" = lambda exchange: None
    # The backend must never see the request whole.
    never_arrives: bool = False


def simple(x):
    x.version, x.interim, x.expects, x.slow_writer = "1.1", 0, False, False


def with_request_body(x):
    simple(x)
    x.method, x.status = "POST", 200
    x.body = x.body if x.body != "none" else "length"
    x.body_size = max(x.body_size, 2000)


def with_chunked_body(x):
    with_request_body(x)
    x.body = "chunked"


def small_answer(x):
    """One that is with the proxy before the connection goes."""
    with_length(x)
    x.answer_size = min(x.answer_size, 1000)


def with_length(x):
    """An answer whose end does not need the connection's end."""
    x.answer = "length" if x.answer == "close" else x.answer


def with_answer_body(x):
    simple(x)
    x.method, x.body, x.body_size, x.status = "GET", "none", 0, 200
    x.answer = "length" if x.answer == "close" else x.answer
    x.answer_size = max(x.answer_size, 2000)


def cut_answer_body(x):
    """As a client of HTTP/1.0 sees it: a body that only the connection's end can end."""
    with_answer_body(x)
    x.version = "1.0" if x.dice < 0.3 else "1.1"


def without_bodies(x):
    simple(x)
    x.method, x.body, x.body_size = "GET", "none", 0


def to(route):
    def shape(x):
        without_bodies(x)
        x.route = route
    return shape


def with_method(method):
    def shape(x):
        without_bodies(x)
        x.method = method
    return shape


def trace(x):
    without_bodies(x)
    x.method = "TRACE"
    x.route = DEAD


def truncated_tls(x):
    with_answer_body(x)
    x.route, x.answer = named("tls"), "close"


def refused_expectation(x):
    with_request_body(x)
    with_length(x)
    x.expects, x.status, x.answer_closes = True, 413, True


def early(x):
    with_request_body(x)
    with_length(x)
    x.body_size = max(x.body_size, 300_000)
    x.status = 413


FAULTS = [
    # A client's. One that leaves reads no answer, so there is none to judge; what the backend sees is judged.
    Fault("abort in head", "client", ("abandoned",), 2, simple, never_arrives=True),
    Fault("end in head", "client", ("gone",), 1, simple, never_arrives=True),
    Fault("abort in body", "client", ("abandoned",), 2, with_request_body, never_arrives=True),
    Fault("end in body", "client", ("gone",), 1, with_request_body, never_arrives=True),
    Fault("abort while waiting", "client", ("abandoned", "answered"), 2),
    Fault("abort while reading", "client", ("abandoned",), 2, with_answer_body),
    Fault("half-close", "client", ("answered",), 2, simple),
    Fault("malformed", "client", (BAD_REQUEST, "501 http_request_error", "505 http_request_error"), 3, without_bodies,
          never_arrives=True),
    Fault("malformed chunk", "client", (BAD_REQUEST,), 1, with_chunked_body, never_arrives=True),
    Fault("slow head", "client", ("answered",), 1, simple),
    Fault("stalled head", "client", (TOO_SLOW,), 0.1, without_bodies, never_arrives=True),
    Fault("stalled body", "client", (TOO_SLOW,), 0.1, with_request_body, never_arrives=True),
    Fault("unknown host", "client", (DENIED,), 1, to(NOWHERE), never_arrives=True),
    Fault("connect", "client", (DENIED,), 0.5, with_method("CONNECT"), never_arrives=True),
    Fault("trace", "client", (DENIED,), 0.5, trace, never_arrives=True),
    # A backend's. Only a reset may overtake what was sent before it.
    Fault("refuse", "backend", ("502 connection_refused",), 1, to(DEAD), never_arrives=True),
    Fault("babble for TLS", "backend", ("502 tls_protocol_error", TERMINATED), 0.5, to(BABBLE), never_arrives=True),
    Fault("reset before head", "backend", (TERMINATED,), 2),
    Fault("close before head", "backend", (TERMINATED,), 2),
    Fault("reset in head", "backend", (TERMINATED,), 1),
    Fault("close in head", "backend", (TERMINATED,), 1),
    Fault("reset in body", "backend", ("cut", TERMINATED), 2, cut_answer_body),
    Fault("short body", "backend", ("cut",), 2, cut_answer_body),
    Fault("truncated TLS", "backend", ("cut", TERMINATED), 1, truncated_tls),
    Fault("bad chunk", "backend", ("cut", MALFORMED_ANSWER), 1, cut_answer_body),
    Fault("garbage", "backend", (MALFORMED_ANSWER,), 2),
    Fault("two lengths", "backend", (MALFORMED_ANSWER,), 1, with_answer_body),
    Fault("unasked upgrade", "backend", (MALFORMED_ANSWER,), 1, simple),
    Fault("hang", "backend", (ANSWER_TIMEOUT,), 0.1, simple),
    Fault("hang in body", "backend", ("cut",), 0.1, with_answer_body),
    Fault("close when idle", "backend", ("answered",), 2, with_length),
    Fault("reset when idle", "backend", ("answered",), 2, small_answer),
    Fault("extra bytes", "backend", ("answered",), 2, with_answer_body),
    Fault("early answer", "backend", ("answered",), 1, early),
    Fault("early answer and close", "backend", ("answered", "cut", TERMINATED), 1, early),
    Fault("refused expectation", "backend", ("answered",), 1, refused_expectation),
]


def draw(rng):
    return rng.choices(FAULTS, [fault.weight for fault in FAULTS])[0]

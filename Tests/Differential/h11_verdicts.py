"""h11's side of the comparison: judges each message, as README.md says."""

import h11

LIMIT = 1 << 20


def digits(data):
    return bytes(data).hex() or "-"


def judge(kind, data):
    is_request = kind == "request"
    if is_request:
        connection = h11.Connection(h11.SERVER, max_incomplete_event_size=LIMIT)
    else:
        connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=LIMIT)
        method = kind.removeprefix("response-")
        # An upgrade is offered, as whether a 101 was asked for is not a matter of reading it.
        fields = [("Host", "a"), ("Connection", "upgrade"), ("Upgrade", "websocket")]
        connection.send(h11.Request(method=method, target="a:1" if method == "CONNECT" else "/", headers=fields))
        connection.send(h11.EndOfMessage())
    head, content, is_closed = None, b"", False

    def parts():
        fields = ",".join(digits(name + b": " + value) for name, value in head.headers.raw_items()) or "-"
        if is_request:
            start = [digits(head.method), digits(head.target)]
        else:
            start = [digits(str(head.status_code).encode()), digits(head.reason)]
        return " ".join([*start, head.http_version.decode(), fields, digits(content)])

    def end():
        return len(data) - len(bytes(connection._receive_buffer))

    try:
        connection.receive_data(data)
        while True:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                if is_closed or head is None:
                    return "partial " + parts() + " -" if head else "incomplete"
                # A cut is told by an error, and what ends by closing by its end.
                is_closed = True
                connection.receive_data(b"")
            elif event is h11.PAUSED:
                return f"accepted {parts()} {end()}"
            elif isinstance(event, (h11.Request, h11.Response)):
                head = event
            elif isinstance(event, h11.InformationalResponse):
                head = event
                return f"accepted {parts()} {end()}"
            elif isinstance(event, h11.Data):
                content += event.data
            elif isinstance(event, h11.EndOfMessage):
                return f"accepted {parts()} {end()}"
            else:
                return "incomplete"
    except h11.RemoteProtocolError as error:
        if is_closed:
            return "partial " + parts() + " -"
        return "refused " + str(error).split(":")[0].split("(")[0].strip().replace(" ", "-")

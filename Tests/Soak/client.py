"""A client: sends planned exchanges over connections to the proxy and checks every answer."""

import asyncio
import contextlib

import clock
import wire
from content import pieces
from stream import Stream

# An exchange without an end after this is stuck: more than all the proxy's time-outs together.
STUCK = 90

MALFORMED = [
    "GET http://{host}/{id} HTTP/1.1\r\n\r\n",
    "GET http://{host}/{id} HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n\r\n",
    "GET  http://{host}/{id} HTTP/1.1\r\nHost: {host}\r\n\r\n",
    "GET http://{host}/{id} HTTP/2.0\r\nHost: {host}\r\n\r\n",
    "GET http://{host}/{id} HTTP/1.1\r\nHost: {host}\r\nA : b\r\n\r\n",
    "GET http://{host}/{id} HTTP/1.1\r\nHost: {host}\r\nA: b\r\n c\r\n\r\n",
    "GET http://user@{host}/{id} HTTP/1.1\r\nHost: {host}\r\n\r\n",
    "GET http://{host}:99999/{id} HTTP/1.1\r\nHost: {host}\r\n\r\n",
    "GET http://{host}/{id} HTTP/1.1\r\nHost: {host}\r\nA: \0\r\n\r\n",
    "POST http://{host}/{id} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n12",
    "POST http://{host}/{id} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST http://{host}/{id} HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "POST http://{host}/{id} HTTP/1.0\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST http://{host}/{id} HTTP/1.1\r\nHost: {host}\r\nContent-Length: -1\r\n\r\n",
]


class Abandoned(Exception):
    """The client left as planned."""


class Connection:
    """One connection to the proxy."""

    def __init__(self, stream, judge):
        self.stream = stream
        self.judge = judge
        self.is_open = True
        self._continue = asyncio.Event()

    @classmethod
    async def open(cls, port, judge):
        return cls(await Stream.connect(port), judge)

    def close(self):
        self.is_open = False
        self.stream.close()

    async def run(self, exchanges):
        """Sends the exchanges one behind the other, reading their answers meanwhile; several are a pipeline."""
        for x in exchanges[1:]:
            x.note(clock.now(), f"sent ahead behind {', '.join(map(str, exchanges[:exchanges.index(x)]))}")
        exchanges[0].note(clock.now(), f"followed by {', '.join(map(str, exchanges[1:])) or 'none'}")
        sender = asyncio.create_task(self._send_all(exchanges))
        try:
            for x in exchanges:
                if not self.is_open:
                    # Nothing says what became of a request behind the last answer, but it may not have been served.
                    if x.whole_arrivals:
                        self.judge.fail("served behind the last answer of its connection", x)
                    x.excused["gone"] = "behind the last answer"
                    self.judge.ended(x, "gone")
                    continue
                await self._run_one(x, sender)
        finally:
            sender.cancel()
            with contextlib.suppress(asyncio.CancelledError, OSError, Abandoned):
                await sender

    async def _run_one(self, x, sender):
        x.started = x.started or clock.now()
        try:
            async with asyncio.timeout(STUCK):
                answer = asyncio.create_task(self._receive(x))
                try:
                    await asyncio.wait({answer, sender}, return_when=asyncio.FIRST_COMPLETED)
                    if sender.done() and isinstance(sender.exception(), Abandoned):
                        raise Abandoned
                    outcome = await answer
                finally:
                    answer.cancel()
        except Abandoned:
            outcome = "abandoned"
        except wire.Ended:
            outcome = "gone"
        except wire.Cut:
            outcome = "cut"
        except TimeoutError:
            outcome = f"stuck: nothing for {STUCK} s"
        except (wire.Malformed, ValueError, asyncio.LimitOverrunError) as error:
            outcome = f"wrong: {error}"
        if outcome != "answered" and not outcome[:3].isdigit():
            self.is_open = False
        if not self.is_open:
            self.close()
        self.judge.ended(x, outcome)

    # Sending

    async def _send_all(self, exchanges):
        for x in exchanges:
            x.started = x.started or clock.now()
            x.note(x.started, "sending")
            with contextlib.suppress(OSError):
                await self._send(x)

    def _head(self, x):
        host = x.route.host
        target = f"http://{host}/{x.id}?q={x.number}"
        if x.method == "CONNECT":
            target = host = f"{host}:443"
        fields = [("Host", host), ("X-Soak-Id", x.id), ("User-Agent", "soak")]
        if x.fault_is("trace"):
            fields.append(("Max-Forwards", "5"))
        if x.body == "length":
            fields.append(("Content-Length", str(x.body_size)))
        elif x.body == "chunked":
            fields.append(("Transfer-Encoding", "chunked"))
        if x.expects:
            fields.append(("Expect", "100-continue"))
        if x.own_authorization:
            fields += [("Authorization", "Bearer of-the-app"), ("Connection", "Authorization, X-Hop"), ("X-Hop", "1"),
                       ("Proxy-Connection", "keep-alive")]
        if x.closes:
            fields.append(("Connection", "close"))
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
        return f"{x.method} {target} HTTP/{x.version}\r\n{lines}\r\n".encode()

    async def _send(self, x):
        stream, head = self.stream, self._head(x)
        match x.fault.name if x.fault else "":
            case "abort in head":
                await stream.write(head[:int(len(head) * x.dice)])
                await self._leave(x)
            case "end in head":
                await stream.write(head[:max(1, int(len(head) * x.dice))])
                return self._end()
            case "stalled head":
                return await stream.write(head[:max(1, int(len(head) * x.dice))])
            case "malformed":
                text = MALFORMED[int(x.dice * len(MALFORMED))]
                return await stream.write(text.format(host=x.route.host, id=x.id).encode())
            case "slow head":
                for at in range(0, len(head), 1 + len(head) // 10):
                    await stream.write(head[at:at + 1 + len(head) // 10])
                    await asyncio.sleep(0.05)
            case _:
                await stream.write(head)
        if x.expects:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(3):
                    await self._continue.wait()
        await self._send_body(x)
        match x.fault.name if x.fault else "":
            case "abort while waiting":
                await asyncio.sleep(0.02 * x.dice)
                await self._leave(x)
            case "half-close":
                self._end()

    async def _send_body(self, x):
        left = x.body_size
        if x.fault_is("abort in body", "end in body", "stalled body", "malformed chunk"):
            left = int(left * x.dice)
        for piece in pieces(x.key, x.body_size):
            piece = piece[:left]
            left -= len(piece)
            if piece:
                await self.stream.write(wire.chunk(piece) if x.body == "chunked" else piece)
            if x.slow_writer:
                await asyncio.sleep(0.02)
        match x.fault.name if x.fault else "":
            case "abort in body":
                await self._leave(x)
            case "end in body":
                return self._end()
            case "malformed chunk":
                return await self.stream.write(b"0x5\r\nhello\r\n0\r\n\r\n")
            case "stalled body":
                return
        if x.body == "chunked":
            await self.stream.write(b"0\r\n\r\n")

    def _end(self):
        self.is_open = False
        self.stream.end_writing()

    async def _leave(self, x):
        await asyncio.sleep(0)
        x.note(clock.now(), "client: reset")
        self.stream.reset()
        raise Abandoned

    # Receiving

    async def _receive(self, x):
        """Reads one answer; what it was is the outcome, anything that is not as planned an error."""
        interim = 0
        head = await wire.read_head(self.stream)
        while head.start.startswith("HTTP/1.1 1"):
            if head.start.startswith("HTTP/1.1 100"):
                self._continue.set()
            else:
                interim += 1
            head = await wire.read_head(self.stream)
        self._continue.clear()
        version, status, _ = head.start.split(" ", 2)
        if version != "HTTP/1.1" or len(status) != 3:
            raise wire.Malformed(head.start)
        x.note(clock.now(), f"answer {status} begins at client")
        framing = wire.framing(head, "close")
        if x.method == "HEAD" or status in ("204", "304"):
            framing = 0
        keeps = "keep-alive" if x.version == "1.0" else "close"
        if framing == "close" or head.says("connection", keeps) == (x.version == "1.1"):
            self.is_open = False
        if (own := head.one("proxy-status")) is not None:
            return await self._receive_own(status, own, framing)
        if x.fault_is("abort while reading"):
            await wire.read_some(self.stream, 1 + int(x.answer_size * x.dice / 2))
            await self._leave(x)
        digest = await wire.read_body(self.stream, framing, self._pause if x.slow_reader else None)
        self._check(x, head, status, digest, interim)
        if not self.is_open and framing != "close":
            await self._expect_end(x)
        return "answered"

    async def _receive_own(self, status, own, framing):
        await wire.read_body(self.stream, framing)
        kind = own.removeprefix("attache; error=").partition(";")[0]
        return f"{status} {kind}"

    async def _pause(self):
        await asyncio.sleep(0.05)

    def _check(self, x, head, status, digest, interim):
        if head.one("x-soak-id") != x.id:
            raise wire.Malformed(f"the answer is for {head.one('x-soak-id')!r}")
        received = head.one("x-soak-received")
        if received not in (None, x.request_digest):
            raise wire.Malformed(f"the backend received {received}, sent was {x.request_digest}")
        if int(status) != x.status or head.all("x-hop"):
            raise wire.Malformed(f"{head.start} {head.fields}, planned was {x.status}")
        if str(digest) != x.answer_digest:
            raise wire.Malformed(f"the body is {digest}, planned was {x.answer_digest}")
        planned = x.interim if x.version == "1.1" else 0
        if interim != planned and x.whole_arrivals < 2:
            raise wire.Malformed(f"{interim} interim answers, planned were {planned}")

    async def _expect_end(self, x):
        """Nothing may follow an answer that says close."""
        try:
            data = await self.stream.read(100)
        except OSError:
            return
        if data:
            raise wire.Malformed(f"{data!r} behind the last answer")

"""A backend that checks every request it gets, and answers as the exchange plans."""

import asyncio
import collections
import traceback

import clock
import faults
import wire
from content import pieces
from routes import STATIC_KEY

REASONS = {200: "OK", 201: "Created", 204: "No Content", 304: "Not Modified", 401: "Unauthorized", 404: "Not Found",
           413: "Content Too Large", 500: "Internal Server Error"}


class Leave(Exception):
    """The connection ends here."""


class Connection:
    def __init__(self, reader, writer):
        self.reader = reader
        self.writer = writer
        # Bytes behind an answer went out: nothing that comes over it counts any more.
        self.is_spoilt = False
        # The exchange that it carries, or carried last: a reset may overtake its answer.
        self.exchange = None


class Backend:
    def __init__(self, routes, judge, tokens, exchanges, tls=None):
        self.routes = routes
        self.judge = judge
        self.tokens = tokens
        self.exchanges = exchanges
        self.tls = tls
        self.port = 0
        self.authorities = set()
        self.requests = 0
        # When a connection ended, or was spoilt, that the proxy may have taken for a good one.
        self._ends = collections.deque(maxlen=10_000)
        self._outages = []
        self._server = None
        self._connections = set()

    # Life

    async def open(self):
        self._server = await asyncio.start_server(
            self._serve, "127.0.0.1", self.port, ssl=self.tls, limit=wire.LIMIT, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]
        self.authorities.add(f"127.0.0.1:{self.port}")

    async def restart(self, seconds):
        self._outages.append([clock.now(), float("inf")])
        self._server.close()
        for connection in list(self._connections):
            if connection.exchange is not None:
                connection.exchange.unanswered = True
            wire.reset(connection.writer)
        try:
            await asyncio.sleep(seconds)
        finally:
            await self.open()
            self._outages[-1][1] = clock.now()

    def close_idle(self):
        """Ends all connections in order."""
        for connection in list(self._connections):
            connection.writer.close()

    def excuse(self, x, outcome):
        """Why a request failed that no fault of its own excuses; None where it should not have."""
        slack = 1 + self.judge.lag.recent()
        is_server_error = outcome == "cut" or outcome[:3] in ("502", "504")
        for begin, end in self._outages:
            if is_server_error and begin - slack <= x.ended and x.started <= end + slack:
                return "backend restarted"
        near = [what for at, what in self._ends if x.started - slack <= at <= x.ended]
        # What went out with the head alone, and may be repeated, the proxy has to send again itself.
        can_be_repeated = x.is_idempotent and x.body == "none"
        if outcome == faults.TERMINATED and near and x.whole_arrivals == 0 and not can_be_repeated:
            return "idle connection lost"
        if outcome in (faults.TERMINATED, faults.MALFORMED_ANSWER) and "spoilt" in near:
            return "connection spoilt"
        return None

    # Requests

    async def _serve(self, reader, writer):
        connection = Connection(reader, writer)
        self._connections.add(connection)
        try:
            while True:
                await self._exchange(connection)
        except (Leave, wire.Ended, wire.Cut, OSError):
            pass
        except asyncio.CancelledError:
            raise
        except wire.Malformed as error:
            self.judge.fail(f"backend {self.routes}: {error}")
        except Exception:
            self.judge.fail(f"backend {self.routes}: {traceback.format_exc()}")
        finally:
            self._connections.discard(connection)
            writer.close()

    async def _exchange(self, connection):
        head = await wire.read_head(connection.reader)
        if connection.is_spoilt:
            raise Leave
        x = self.exchanges.get(head.one("x-soak-id"))
        if x is None:
            self.judge.fail(f"backend {self.routes}: a request that nobody sent: {head.start} {head.all('x-soak-id')}")
            raise Leave
        connection.exchange = x
        x.note(clock.now(), f"head at backend, port {connection.writer.get_extra_info('peername')[1]}")
        self._check_head(x, head)
        if x.fault_is("early answer", "early answer and close"):
            await self._answer(x, connection)
            if x.fault_is("early answer"):
                await wire.read_body(connection.reader, wire.framing(head, 0))
            self._ends.append((clock.now(), "ended"))
            raise Leave
        if head.says("expect", "100-continue"):
            if x.fault_is("refused expectation"):
                await self._answer(x, connection)
                await connection.reader.read()
                raise Leave
            connection.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        digest = await wire.read_body(
            connection.reader, wire.framing(head, 0), self._pause if x.slow_backend else None)
        self._check_arrival(x, digest)
        self.requests += 1
        if x.fault is not None and x.fault.side == "backend" and x.whole_arrivals == 1:
            await self._misbehave(x, connection, digest)
        else:
            await self._answer(x, connection, digest)
        if x.answer_closes:
            raise Leave

    async def _pause(self):
        await asyncio.sleep(0.02)

    def _check_head(self, x, head):
        target = f"{x.method} /{x.id}?q={x.number} HTTP/1.1"
        if head.start != target:
            self.judge.fail(f"backend got {head.start!r} for {target!r}", x)
        if x.route.name not in self.routes:
            self.judge.fail(f"backend of {self.routes} got it", x)
        if head.one("host") not in self.authorities:
            self.judge.fail(f"Host {head.one('host')!r} is none of {self.authorities}", x)
        for name in ("x-hop", "proxy-authorization", "proxy-connection", "keep-alive"):
            if head.all(name):
                self.judge.fail(f"{name} reached the backend", x)
        self._check_credential(x, head)

    def _check_credential(self, x, head):
        values, keys = head.all("authorization"), head.all("x-api-key")
        token = x.route.credential is not None and x.route.credential != "key"
        if len(values) != token or keys != ([STATIC_KEY] if x.route.credential == "key" else []):
            return self.judge.fail(f"{len(values)} Authorization and {len(keys)} X-Api-Key at the backend", x)
        if token and (complaint := self.tokens.complaint(values[0], x.route.credential, self.judge.lag.recent())):
            self.judge.fail(f"the request carries {complaint}", x)
        x.credentials.append(values)

    def _check_arrival(self, x, digest):
        x.note(clock.now(), "whole at backend")
        if str(digest) != x.request_digest:
            self.judge.fail(f"backend read a body {digest}, sent was {x.request_digest}", x)
        if x.fault is not None and x.fault.never_arrives:
            self.judge.fail("a request arrived whole that was not", x)
        if x.whole_arrivals and not (x.is_idempotent and x.unanswered) and not self._brings_another_token(x):
            self.judge.fail(f"arrived {x.whole_arrivals + 1} times", x)
        x.whole_arrivals += 1
        x.unanswered = False
        if x.status == 401:
            self.tokens.refused(x.route.credential)

    @staticmethod
    def _brings_another_token(x):
        """After a 401 that refuses its token a request comes once more, with another one."""
        return x.status == 401 and x.whole_arrivals == 1 and len(x.credentials) > 1 and x.credentials[-1] != x.credentials[-2]

    # Answers

    def _head(self, x, digest, extra=""):
        text = f"HTTP/1.1 {x.status} {REASONS[x.status]}\r\nX-Soak-Id: {x.id}\r\n{extra}"
        if digest is not None:
            text += f"X-Soak-Received: {digest}\r\n"
        if x.status == 401:
            text += 'WWW-Authenticate: Bearer error="invalid_token"\r\n'
        text += f"Connection: {'close, ' if x.answer_closes else ''}X-Hop\r\nX-Hop: 1\r\n"
        if x.answer == "chunked" and x.has_answer_body:
            text += "Transfer-Encoding: chunked\r\n"
        elif x.answer == "length" and x.status != 204:
            text += f"Content-Length: {x.answer_size}\r\n"
        return (text + "\r\n").encode()

    async def _answer(self, x, connection, digest=None, whole=True):
        """Sends the planned answer, or about half of it."""
        writer = connection.writer
        for number in range(x.interim):
            writer.write(b"HTTP/1.1 103 Early Hints\r\nLink: </%d>\r\n\r\n" % number)
        head = self._head(x, digest)
        if x.slow_backend:
            writer.write(head[:20])
            await asyncio.sleep(0.05)
            head = head[20:]
        writer.write(head)
        size = x.answer_size if whole else x.answer_size // 2
        if x.has_answer_body:
            for piece in pieces(x.key + 1, x.answer_size):
                piece = piece[:size]
                size -= len(piece)
                if piece:
                    writer.write(wire.chunk(piece) if x.answer == "chunked" else piece)
                    await writer.drain()
                if x.slow_backend:
                    await asyncio.sleep(0.02)
            if whole and x.answer == "chunked":
                writer.write(b"0\r\n\r\n")
        await writer.drain()
        x.note(clock.now(), "answer sent" if whole else "half of the answer sent")

    async def _misbehave(self, x, connection, digest):
        writer = connection.writer
        x.note(clock.now(), f"backend: {x.fault.name}")
        match x.fault.name:
            case "reset before head":
                x.unanswered = True
                wire.reset(writer)
            case "close before head":
                x.unanswered = True
            case "reset in head" | "close in head":
                writer.write(self._head(x, digest)[:30])
                await writer.drain()
                if x.fault_is("reset in head"):
                    # A reset may overtake the bytes, and then nothing of an answer has come.
                    x.unanswered = True
                    wire.reset(writer)
            case "reset in body" | "short body" | "truncated TLS":
                await self._answer(x, connection, digest, whole=False)
                if x.fault_is("reset in body"):
                    x.unanswered = True
                    wire.reset(writer)
                elif x.fault_is("truncated TLS"):
                    writer.transport.abort()
            case "bad chunk":
                x.answer = "chunked"
                await self._answer(x, connection, digest, whole=False)
                writer.write(b"-5\r\nhello\r\n0\r\n\r\n")
                await connection.reader.read()
            case "garbage":
                writer.write([b"HTTP/1.1 2OO OK\r\n\r\n", b"\x16\x03\x01\x02\x00\r\n\r\n", b"HTTP/2.0 200 OK\r\n\r\n",
                              b"HTTP/1.1 200 OK\r\nA b: c\r\n\r\n"][int(x.dice * 4)])
                await connection.reader.read()
            case "two lengths":
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!")
                await connection.reader.read()
            case "unasked upgrade":
                writer.write(b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
                await connection.reader.read()
            case "hang":
                await connection.reader.read()
            case "hang in body":
                await self._answer(x, connection, digest, whole=False)
                await connection.reader.read()
            case "close when idle" | "reset when idle":
                await self._answer(x, connection, digest)
                await asyncio.sleep(0.1 * x.dice * x.dice)
                self._ends.append((clock.now(), "ended"))
                if x.fault_is("reset when idle"):
                    x.unanswered = True
                    wire.reset(writer)
            case "extra bytes":
                connection.is_spoilt = True
                await self._answer(x, connection, digest)
                self._ends.append((clock.now(), "spoilt"))
                writer.write(b"EXTRA BYTES")
                await connection.reader.read()
            case _:
                await self._answer(x, connection, digest)
                return
        raise Leave

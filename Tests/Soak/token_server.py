"""An OAuth 2.0 token server that fails by a seeded timetable, and remembers whom it gave which token for how long."""

import asyncio
import base64
import collections
import json
import urllib.parse

import clock
import wire

LIFE = 10
SHORT_LIFE = 3
# Seconds between two tries at most: the longest back-off with its spread, and what a try may take.
LONGEST_PAUSE = 75 + 15
# How often each kind of fault comes, compared with the others.
MODES = {"down": 2, "500": 2, "429": 2, "slow": 2, "garbage": 2, "cut": 1, "hang": 1, "short": 2, "restart": 2, "refuse": 1}
# Answers of status 200 that bring no usable token.
GARBAGE = [b"", b"{", b"[]", b"null", b"token", b'{"access_token":""}', b'{"access_token":"two words","expires_in":10}',
           b'{"token_type":"Bearer","expires_in":10}', b'{"access_token":"a\\nb","expires_in":10}', b"\xff\xfe\x00"]


class TokenServer:
    def __init__(self, rng, judge, credentials):
        """`credentials` maps a name to how its client authenticates: "basic" or "post"."""
        self.rng = rng
        self.judge = judge
        self.credentials = credentials
        self.port = 0
        self.mode = "good"
        # (mode, begin, end) of each time that a fetch may fail.
        self.windows = []
        self.issued = {}
        self.issues = collections.defaultdict(list)
        self.fetches = collections.defaultdict(list)
        # When a backend refused a token of a credential: from then on the proxy may not have it any more.
        self.refusals = collections.defaultdict(list)
        self.answers = collections.Counter()
        self._active = collections.Counter()
        self._server = None
        self._writers = set()

    async def open(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, limit=wire.LIMIT)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self):
        self._server.close()
        for writer in list(self._writers):
            wire.reset(writer)

    async def misbehave(self):
        """Runs the timetable until it is cancelled, and is good from then on."""
        try:
            while True:
                await asyncio.sleep(self.rng.uniform(4, 14))
                mode = self.rng.choices(list(MODES), list(MODES.values()))[0]
                await self._misbehave(mode, 0.3 if mode == "restart" else self.rng.uniform(1, 10))
        finally:
            if self._server is None or not self._server.is_serving():
                await self.open()

    async def _misbehave(self, mode, seconds):
        begin = clock.now()
        self.windows.append([mode, begin, float("inf")])
        self.mode = mode
        try:
            if mode in ("down", "restart"):
                await self.close()
            await asyncio.sleep(seconds)
            if mode in ("down", "restart"):
                await self.open()
        finally:
            self.mode = "good"
            self.windows[-1][2] = clock.now()

    async def _serve(self, reader, writer):
        self._writers.add(writer)
        name = None
        try:
            head = await wire.read_head(reader)
            body = bytearray()
            body += await reader.readexactly(int(head.one("content-length")))
            name = self._client(head, body.decode())
            if name is None:
                return self.judge.fail(f"a token request of nobody: {head.start} {head.fields}")
            self._active[name] += 1
            self.fetches[name].append(clock.now())
            if self._active[name] > 1:
                self.judge.fail(f"two fetches of credential {name} at a time")
            await self._answer(name, self.mode, reader, writer)
        except (OSError, asyncio.IncompleteReadError, wire.Ended, wire.Cut):
            pass
        finally:
            if name is not None:
                self._active[name] -= 1
            self._writers.discard(writer)
            writer.close()

    def _client(self, head, body):
        form = dict(urllib.parse.parse_qsl(body))
        if head.start != "POST /token HTTP/1.1" or form.get("grant_type") != "client_credentials":
            return None
        name, secret = form.get("client_id"), form.get("client_secret")
        if (basic := head.one("authorization")) is not None:
            name, _, secret = base64.b64decode(basic.removeprefix("Basic ")).decode().partition(":")
            if self.credentials.get(name) != "basic":
                return None
        return name if name in self.credentials and secret == f"soak-secret-{name}" else None

    async def _answer(self, name, mode, reader, writer):
        self.answers[mode] += 1
        if mode == "hang":
            return await reader.read()
        if mode == "slow":
            try:
                await asyncio.wait_for(reader.read(), self.rng.uniform(0.5, 4))
                return
            except asyncio.TimeoutError:
                pass
        status, extra, body = "200 OK", "", b""
        if mode == "500":
            status, body = "500 Internal Server Error", b"<h1>sorry</h1>"
        elif mode == "429":
            status, extra = "429 Too Many Requests", f"Retry-After: {self.rng.randint(1, 3)}\r\n"
        elif mode == "refuse":
            status, body = "401 Unauthorized", b'{"error":"invalid_client"}'
        elif mode == "garbage":
            body = self.rng.choice(GARBAGE)
        elif mode == "cut":
            body = self._token(name, LIFE, delivered=False)
        else:
            body = self._token(name, SHORT_LIFE if mode == "short" else LIFE, delivered=True)
        size = len(body) + (10 if mode == "cut" else 0)
        writer.write(f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{extra}"
                     f"Content-Length: {size}\r\nConnection: close\r\n\r\n".encode() + body)
        await writer.drain()

    def _token(self, name, life, delivered):
        token = f"soak-token-{name}-{self.rng.randbytes(12).hex()}"
        now = clock.now()
        # One whose answer was cut was never issued, as far as the proxy may know.
        if delivered:
            self.issued[token] = (name, now + life)
            self.issues[name].append((now, life))
        return json.dumps({"access_token": token, "token_type": "Bearer", "expires_in": life}).encode()


class TokenServers:
    """All of them, as backends and the judge ask them."""

    def __init__(self, servers):
        self.servers = servers

    def _of(self, name):
        return next((server for server in self.servers if name in server.credentials), None)

    def complaint(self, value, credential, lag):
        """What is wrong with an Authorization field's value, or None."""
        scheme, _, token = value.partition(" ")
        name, end = self._of(credential).issued.get(token, (None, 0))
        if scheme != "Bearer" or name is None:
            return "a token that nobody issued"
        if name != credential:
            return f"a token of {name}"
        late = clock.now() - lag - end
        return f"a token {late:.3f} s past its end" if late > 0 else None

    def refused(self, credential):
        """A backend says that the token is no good."""
        if server := self._of(credential):
            server.refusals[credential].append(clock.now())

    def excuse(self, credential, begin, end):
        """Why a request between the two instants had no token: None where it should have had one."""
        server = self._of(credential)
        if server is None:
            return None
        slack = 1 + server.judge.lag.recent()
        issues, refusals = server.issues[credential], server.refusals[credential]
        if any(at + slack < begin and end < at + 0.95 * life - slack and not any(at < refused < end for refused in refusals)
               for at, life in issues):
            return None
        last = max((at for at, _ in issues if at < begin), default=0)
        for mode, first, final in server.windows:
            if first <= end and final >= last:
                return f"no token, its server {mode}"
        return None

    def check_recovery(self, until):
        """Each outage of a credential ends in time: somebody asks again."""
        for server in self.servers:
            for name in server.credentials:
                self._check_recovery(server, name, until)

    def _check_recovery(self, server, name, until):
        begin = None
        for mode, first, final in server.windows:
            issued = [at for at, _ in server.issues[name]]
            if begin is None or any(begin < at < first for at in issued):
                begin = first
            # After n seconds of failures the next pause is about n seconds more.
            bound = final + min(LONGEST_PAUSE, 2.5 * (final - begin) + 30)
            if bound < until and not any(final <= at <= bound for at in server.fetches[name]):
                server.judge.fail(f"nobody asked for a token of {name} for {bound - final:.0f} s after its server was {mode}")

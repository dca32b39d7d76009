import HTTPWire
import Testing

@Suite struct ConnectionTests {
    @Test(
        "Options are read from all Connection fields in any case",
        arguments: [
            ([], []),
            (["close"], [.close]),
            (["CLOSE"], [.close]),
            (["Keep-Alive"], [.keepAlive]),
            (["keep-alive, Upgrade"], [.keepAlive, .upgrade]),
            (["Upgrade, HTTP2-Settings"], [.upgrade]),
            (["TE"], []),
            (["te, trailer, transfer-encoding, proxy-connection, proxy-authorization, connection"], []),
            (["X-Token"], [.namesFields]),
            (["Authorization"], [.namesFields]),
            (["closed"], [.namesFields]),
            (["clos"], [.namesFields]),
            (["keep-alive", "close"], [.keepAlive, .close]),
            (["", ",", " , x"], [.namesFields]),
        ] as [([String], ConnectionOptions)])
    func options(_ values: [String], _ expected: ConnectionOptions) throws {
        let bytes = latin1(
            "GET / HTTP/1.1\r\nHost: a\r\n" + values.map { "Connection: \($0)\r\n" }.joined() + "\r\n")
        let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        #expect(head.connection == expected)
    }

    @Test(
        "A connection persists in 1.1 unless it is closed, in 1.0 only on request (RFC 9112 section 9.3)",
        arguments: [
            (HTTPVersion.http11, [], true),
            (.http11, [.keepAlive], true),
            (.http11, [.close], false),
            (.http11, [.close, .keepAlive], false),
            (.http10, [], false),
            (.http10, [.keepAlive], true),
            (.http10, [.close], false),
            (.http10, [.close, .keepAlive], false),
        ] as [(HTTPVersion, ConnectionOptions, Bool)])
    func persistence(_ version: HTTPVersion, _ options: ConnectionOptions, _ expected: Bool) {
        #expect(options.isPersistent(in: version) == expected)
    }

    @Test("The fields that Connection names are found in any case")
    func names() throws {
        let bytes = latin1(
            request(
                "Connection: close, X-One", "x-one: 1", "X-ONE: 2", "X-Ones: 3", "X-On: 4",
                "connection: , x-two ,authorization", "X-Two: 5", "Authorization: 6", "Via: 7", "Close: 8"))
        let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        #expect(head.connection.contains(.namesFields))
        let names = ConnectionNames(bytes.span, head.fields)
        var named: [String] = []
        for index in 0..<head.fields.count where names.names(head.fields[index].name, in: bytes.span) {
            named.append(text(bytes, head.fields[index].value))
        }
        #expect(named == ["1", "2", "5", "6"])
    }
}

import HTTPWire
import Testing

@Suite struct GrammarTests {
    @Test("A token has the 77 bytes of RFC 9110 section 5.6.2 and no others")
    func tokens() {
        let letters = "abcdefghijklmnopqrstuvwxyz"
        let allowed = Set(latin1("!#$%&'*+-.^_`|~0123456789" + letters + letters.uppercased()))
        #expect(allowed.count == 77)
        for byte in UInt8.min...UInt8.max { #expect(ASCII.isToken(byte) == allowed.contains(byte), "byte \(byte)") }
    }

    @Test("A field value has all bytes except controls (RFC 9110 section 5.5)")
    func fieldContent() {
        for byte in UInt8.min...UInt8.max {
            #expect(ASCII.isFieldContent(byte) == (byte == 9 || (byte >= 32 && byte != 127)), "byte \(byte)")
        }
    }

    @Test("Each byte at each position of a value is checked", arguments: 0..<20)
    func everyPlace(_ place: Int) {
        for byte in UInt8.min...UInt8.max {
            var value = latin1("abcdefghijklmnopqrst")
            value[place] = byte
            let bytes = latin1("GET / HTTP/1.1\r\nHost: a\r\nX: ") + value + latin1("\r\n\r\n")
            let isAccepted = Outcome.request(bytes).verdict == .accepted(.none)
            #expect(isAccepted == ASCII.isFieldContent(byte), "byte \(byte) at \(place)")
        }
    }

    @Test("Each byte at each position of a target is checked", arguments: 0..<20)
    func everyPlaceOfTarget(_ place: Int) {
        for byte in UInt8.min...UInt8.max {
            var path = latin1("/abcdefghijklmnopqrst")
            path[place + 1] = byte
            let bytes = latin1("GET ") + path + latin1(" HTTP/1.1\r\nHost: a\r\n\r\n")
            let isAccepted = Outcome.request(bytes).verdict == .accepted(.none)
            let isVisible = byte > 32 && byte < 127 && byte != UInt8(ascii: "#")
            #expect(isAccepted == isVisible, "byte \(byte) at \(place)")
        }
    }

    @Test("Each byte at each position of a name is checked", arguments: 0..<20)
    func everyPlaceOfName(_ place: Int) {
        for byte in UInt8.min...UInt8.max {
            var name = latin1("abcdefghij-LMNOPQ9st")
            name[place] = byte
            let bytes = latin1("GET / HTTP/1.1\r\nHost: a\r\n") + name + latin1(": x\r\n\r\n")
            let isAccepted = Outcome.request(bytes).verdict == .accepted(.none)
            // A colon ends the name and leaves a valid one, unless it comes first.
            #expect(isAccepted == (ASCII.isToken(byte) || (byte == UInt8(ascii: ":") && place > 0)), "byte \(byte)")
        }
    }

    @Test(
        "Another byte in a known name is never taken for the right one",
        arguments: ["host", "http2-settings", "keep-alive"])
    func nearNames(_ name: String) throws {
        let right = latin1(name)
        for place in right.indices {
            for byte in UInt8.min...UInt8.max where ASCII.isToken(byte) {
                var bytes = latin1("GET / HTTP/1.0\r\n") + right + latin1(": x\r\n\r\n")
                bytes[16 + place] = byte
                let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
                let isRight = ASCII.lowercased(byte) == right[place]
                #expect((head.fields[0].known != .other) == isRight, "byte \(byte) at \(place)")
            }
        }
    }

    @Test(
        "The comparison of texts ignores the case of ASCII letters only",
        arguments: [
            ("chunked", "ChUnKeD", true), ("", "", true), ("a", "ab", false), ("[", "{", false), ("@", "`", false),
            ("k", "\u{CB}", false), ("1", "1", true), ("a-b", "A-B", true),
        ])
    func comparison(_ first: String, _ second: String, _ expected: Bool) {
        let bytes = latin1(first + second)
        let lower = ByteRange(0, first.unicodeScalars.count)
        let upper = ByteRange(first.unicodeScalars.count, bytes.count)
        var verdicts: [Bool] = []
        verdicts.append(ASCII.equalsIgnoringCase(bytes.span, lower, upper))
        verdicts.append(ASCII.equalsIgnoringCase(bytes.span, lower, latin1(second)))
        verdicts.append(ASCII.equalsIgnoringCase(bytes.span, lower, latin1(second).span))
        if second.utf8.allSatisfy({ $0 < 128 }) {
            verdicts.append(ASCII.equalsIgnoringCase(bytes.span, lower, second))
        }
        #expect(verdicts.allSatisfy { $0 == expected })
    }

    private static let names: [(String, FieldName)] = [
        ("host", .host), ("connection", .connection), ("content-length", .contentLength),
        ("transfer-encoding", .transferEncoding), ("te", .te), ("trailer", .trailer), ("upgrade", .upgrade),
        ("keep-alive", .keepAlive), ("proxy-connection", .proxyConnection),
        ("proxy-authorization", .proxyAuthorization), ("proxy-authenticate", .proxyAuthenticate),
        ("proxy-authentication-info", .proxyAuthenticationInfo), ("authorization", .authorization),
        ("expect", .expect), ("max-forwards", .maxForwards), ("content-type", .contentType),
        ("retry-after", .retryAfter), ("www-authenticate", .wwwAuthenticate), ("http2-settings", .http2Settings),
        ("dpop-nonce", .dpopNonce), ("proxy-status", .proxyStatus), ("location", .location),
        ("content-location", .contentLocation), ("set-cookie", .setCookie), ("via", .via),
    ]

    @Test("Every known field name is recognised in any case", arguments: names)
    func fieldNames(_ name: String, _ expected: FieldName) throws {
        for spelling in [name, name.uppercased(), name.prefix(1).uppercased() + name.dropFirst()] {
            #expect(try known(spelling) == expected)
        }
        for other in [name + "s", String(name.dropLast()), String(name.dropLast()) + "q", "x-" + name] {
            #expect(try known(other) == .other, "\(other)")
        }
    }

    @Test("The table above has every known name")
    func allFieldNames() {
        #expect(Set(Self.names.map(\.1)) == Set(FieldName.allCases).subtracting([.other]))
    }

    @Test("The hop-by-hop fields are recognised, and no other field")
    func hopByHop() {
        let hopByHop: Set<FieldName> = [
            .connection, .te, .trailer, .upgrade, .keepAlive, .proxyConnection, .proxyAuthorization,
            .proxyAuthenticate, .proxyAuthenticationInfo, .transferEncoding, .http2Settings,
        ]
        for name in FieldName.allCases { #expect(name.isHopByHop == hopByHop.contains(name)) }
    }

    @Test("The first line of a name is found, and none of a name that is absent")
    func firstLine() throws {
        let bytes = latin1(response("Retry-After: 1", "X: 2", "RETRY-AFTER: 3", "Content-Type: 4"))
        let head = try #require(try ResponseHead.parse(bytes.span, answering: .get, limits: HeadLimits()))
        #expect(head.fields.first(.retryAfter).map { text(bytes, $0.value) } == "1")
        #expect(head.fields.first(.contentType).map { text(bytes, $0.value) } == "4")
        #expect(head.fields.first(.host) == nil)
        #expect(head.fields.first(.other) == nil)
        #expect(head.fields.contains(.retryAfter))
        #expect(!head.fields.contains(.te))
    }

    @Test(
        "Methods are recognised by their exact name",
        arguments: [
            ("GET", .get, true), ("HEAD", .head, true), ("POST", .post, false),
            ("PUT", .put, true), ("DELETE", .delete, true), ("OPTIONS", .options, true),
            ("TRACE", .trace, true), ("PATCH", .patch, false), ("Get", .other, false),
            ("GETS", .other, false), ("PROPFIND", .other, false), ("QUERY", .other, false),
            ("DELETED", .other, false), ("G", .other, false),
        ] as [(String, HTTPWire.Method, Bool)])
    func methods(_ name: String, _ expected: HTTPWire.Method, _ isIdempotent: Bool) throws {
        let bytes = latin1(request(method: name))
        let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        #expect(head.method == expected)
        #expect(head.method.isIdempotent == isIdempotent)
    }

    private func known(_ name: String) throws -> FieldName {
        let bytes = latin1("GET / HTTP/1.0\r\n\(name): x\r\n\r\n")
        // Some names say something that "x" does not fit; any of their errors proves that they were recognised.
        do throws(MessageError) {
            let head = try RequestHead.parse(bytes.span, limits: HeadLimits())
            return head?.fields[0].known ?? .other
        } catch .malformedContentLength {
            return .contentLength
        } catch .transferEncodingInHTTP10 {
            return .transferEncoding
        }
    }
}

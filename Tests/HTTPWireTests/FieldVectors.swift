import HTTPWire

/// RFC 9112 section 5 and RFC 9110 section 5: field lines, and the Host field of section 3.2.
enum FieldVectors {
    static let all: [Vector] = names + values + lineEnds + hosts

    private static let names: [Vector] = [
        Vector("9112 5 field", request("X-A: b"), .accepted(.none)),
        Vector("9110 5.6.2 every token byte", request("!#$%&'*+-.^_`|~09azAZ: b"), .accepted(.none)),
        Vector("9112 5.1 no space needed", request("X-A:b"), .accepted(.none)),
        Vector("9112 5.1 space before the colon", request("X-A : b"), .refused(.spaceBeforeColon)),
        Vector("9112 5.1 tab before the colon", request("X-A\t: b"), .refused(.spaceBeforeColon)),
        Vector("9112 5.1 Content-Length with space", request("Content-Length : 5"), .refused(.spaceBeforeColon)),
        Vector(
            "9112 5.1 Transfer-Encoding with space", request("Transfer-Encoding : chunked"),
            .refused(.spaceBeforeColon)),
        Vector("9110 5.1 empty name", request(": b"), .refused(.malformedFieldName)),
        Vector("9112 5 no colon", request("X-A"), .refused(.malformedFieldName)),
        Vector("9112 5 space in the name", request("X A: b"), .refused(.spaceBeforeColon)),
        Vector("9110 5.1 NUL in the name", request("X\u{0}A: b"), .refused(.malformedFieldName)),
        Vector("9110 5.1 control in the name", request("X\u{1}A: b"), .refused(.malformedFieldName)),
        Vector("9110 5.1 DEL in the name", request("X\u{7F}A: b"), .refused(.malformedFieldName)),
        Vector("9110 5.1 obs-text in the name", request("X\u{E9}A: b"), .refused(.malformedFieldName)),
        Vector("9110 5.1 quote in the name", request("\"X\": b"), .refused(.malformedFieldName)),
        Vector("9110 5.1 bracket in the name", request("X[A]: b"), .refused(.malformedFieldName)),
        Vector("9110 5.1 semicolon in the name", request("X;A: b"), .refused(.malformedFieldName)),
        Vector(
            "9110 5.1 0x0B before the name", request("\u{B}Transfer-Encoding: chunked"),
            .refused(.malformedFieldName)),
        Vector("9110 5.1 NBSP before the colon", request("X\u{A0}: b"), .refused(.malformedFieldName)),
        Vector("9110 5.1 BOM before the name", request("\u{EF}\u{BB}\u{BF}X: b"), .refused(.malformedFieldName)),
    ]

    private static let values: [Vector] = [
        Vector("9110 5.5 empty value", request("X-A:"), .accepted(.none)),
        Vector("9110 5.5 only white space", request("X-A: \t "), .accepted(.none)),
        Vector("9110 5.5 tab inside", request("X-A: a\tb"), .accepted(.none)),
        Vector("9110 5.5 tabs late in long values", request("X-A: abcdefgh\tijklmnopqrs\t\ttuvw"), .accepted(.none)),
        Vector("9110 5.5 white space around", request("X-A: \t a b \t"), .accepted(.none)),
        Vector("9110 5.5 obs-text", request("X-A: caf\u{E9} \u{80}\u{FF}"), .accepted(.none)),
        Vector("9110 5.5 colons", request("X-A: a:b: c"), .accepted(.none)),
        Vector("9110 5.5 NUL", request("X-A: a\u{0}b"), .refused(.malformedFieldValue)),
        Vector("9110 5.5 NUL at the end", request("X-A: ab\u{0}"), .refused(.malformedFieldValue)),
        Vector("9110 5.5 0x01", request("X-A: \u{1}"), .refused(.malformedFieldValue)),
        Vector("9110 5.5 0x08", request("X-A: a\u{8}"), .refused(.malformedFieldValue)),
        Vector("9110 5.5 vertical tab", request("X-A: \u{B}b"), .refused(.malformedFieldValue)),
        Vector("9110 5.5 form feed", request("X-A: \u{C}b"), .refused(.malformedFieldValue)),
        Vector("9110 5.5 escape", request("X-A: \u{1B}[0m"), .refused(.malformedFieldValue)),
        Vector("9110 5.5 0x1F in a long value", request("X-A: abcdefghijklmnop\u{1F}"), .refused(.malformedFieldValue)),
        Vector("9110 5.5 DEL", request("X-A: a\u{7F}"), .refused(.malformedFieldValue)),
        Vector("9110 5.5 DEL in a long value", request("X-A: abcdefghijklm\u{7F}nop"), .refused(.malformedFieldValue)),
        Vector(
            "9110 5.5 control in Transfer-Encoding", request("Transfer-Encoding: \u{B}chunked"),
            .refused(.malformedFieldValue)),
    ]

    private static let lineEnds: [Vector] = [
        Vector("9112 5.2 obs-fold", request("X-A: a\r\n b"), .refused(.foldedField)),
        Vector("9112 5.2 obs-fold with a tab", request("X-A: a\r\n\tb"), .refused(.foldedField)),
        Vector("9112 5.2 folded Transfer-Encoding", request("Transfer-Encoding:\r\n chunked"), .refused(.foldedField)),
        Vector("9112 5.2 fold of white space only", request("X-A: a\r\n "), .refused(.foldedField)),
        Vector(
            "9112 2.2 space before the first field", head("GET / HTTP/1.1", " Host: a.example"),
            .refused(.foldedField)),
        Vector(
            "9112 2.2 tab before the first field", head("GET / HTTP/1.1", "\tHost: a.example"),
            .refused(.foldedField)),
        Vector("9112 2.2 bare LF ends a field", request("X-A: a\nX-B: b"), .refused(.bareLineFeed)),
        Vector(
            "9112 2.2 bare LF hides a field", request("X-A: a\nTransfer-Encoding: chunked"),
            .refused(.bareLineFeed)),
        Vector("9112 2.2 bare CR in a value", request("X-A: a\rX-B: b"), .refused(.bareCarriageReturn)),
        Vector("9112 2.2 bare CR before white space", request("X-A: a\r X-B: b"), .refused(.bareCarriageReturn)),
        Vector("9112 2.2 bare CR in a name", request("X\rA: b"), .refused(.malformedFieldName)),
        Vector("9112 2.2 CR CR LF after a value", request("X-A: a\r"), .refused(.bareCarriageReturn)),
        Vector("9112 2.2 LF instead of a name", request("\nX-A: b"), .refused(.bareLineFeed)),
        Vector("9112 2.2 LF in a name", request("X\nA: b"), .refused(.bareLineFeed)),
        Vector("9112 2.2 last line with bare LF", "GET / HTTP/1.1\r\nHost: a.example\r\n\n", .refused(.bareLineFeed)),
        Vector(
            "9112 2.2 last line with bare CR", "GET / HTTP/1.1\r\nHost: a.example\r\n\rX",
            .refused(.bareCarriageReturn)),
        Vector(
            "9112 2.2 CR in the last line end", "GET / HTTP/1.1\r\nHost: a.example\r\n\r\r\n",
            .refused(.bareCarriageReturn)),
    ]

    private static func hosts(_ values: [String], _ version: String = "1.1") -> String {
        (["GET / HTTP/\(version)"] + values.map { "Host: \($0)" }).map { $0 + "\r\n" }.joined() + "\r\n"
    }

    private static let hosts: [Vector] = [
        Vector("9112 3.2 no Host in 1.1", hosts([]), .refused(.missingHost)),
        Vector(
            "9112 3.2 no Host in 1.1 with absolute-form", head("GET http://a.example/ HTTP/1.1"),
            .refused(.missingHost)),
        Vector("9112 3.2 no Host in 1.0", hosts([], "1.0"), .accepted(.none)),
        Vector("9112 3.2 two in 1.1", hosts(["a.example", "b.example"]), .refused(.repeatedHost)),
        Vector("9112 3.2 two equal in 1.1", hosts(["a.example", "a.example"]), .refused(.repeatedHost)),
        Vector("9112 3.2 two in 1.0", hosts(["a.example", "b.example"], "1.0"), .refused(.repeatedHost)),
        Vector(
            "9112 3.2 two, other case of letters",
            head("GET / HTTP/1.1", "Host: a.example", "hOST: a.example"), .refused(.repeatedHost)),
        Vector("9112 3.2 empty", hosts([""]), .accepted(.none)),
        Vector("9112 3.2 empty and another", hosts(["", "a.example"]), .refused(.repeatedHost)),
        Vector("9110 7.2 with port", hosts(["a.example:8080"]), .accepted(.none)),
        Vector("9110 7.2 IPv6", hosts(["[::1]:80"]), .accepted(.none)),
        Vector(
            "9112 3.2.2 differs from the target", head("GET http://a.example/ HTTP/1.1", "Host: b.example"),
            .accepted(.none)),
        Vector("9110 7.2 list", hosts(["a.example, b.example"]), .refused(.malformedHostField)),
        Vector("9110 7.2 list without space", hosts(["a.example,b.example"]), .refused(.malformedHostField)),
        Vector("9110 7.2 space inside", hosts(["a.example b.example"]), .refused(.malformedHostField)),
        Vector("9110 7.2 userinfo", hosts(["u@a.example"]), .refused(.malformedHostField)),
        Vector("9110 7.2 path", hosts(["a.example/x"]), .refused(.malformedHostField)),
        Vector("9110 7.2 query", hosts(["a.example?x"]), .refused(.malformedHostField)),
        Vector("9110 7.2 fragment", hosts(["a.example#x"]), .refused(.malformedHostField)),
        Vector("9110 7.2 URI", hosts(["http://a.example"]), .refused(.malformedHostField)),
        Vector("9110 7.2 bad port", hosts(["a.example:x"]), .refused(.malformedHostField)),
        Vector("9110 7.2 overflowing port", hosts(["a.example:65536"]), .refused(.malformedHostField)),
        Vector("9110 7.2 port alone", hosts([":80"]), .refused(.malformedHostField)),
        Vector("9110 7.2 obs-text", hosts(["caf\u{E9}.example"]), .refused(.malformedHostField)),
        Vector("9110 7.2 tab inside", hosts(["a\tb"]), .refused(.malformedHostField)),
        Vector("9110 7.2 invalid in 1.0 too", hosts(["a b"], "1.0"), .refused(.malformedHostField)),
    ]
}

import HTTPWire

/// RFC 9112 sections 4 and 6.3: status lines, and how a response ends.
enum ResponseVectors {
    static let all: [Vector] = statusLines + refusedLines + fields + framing + bodiless

    private static let statusLines: [Vector] = [
        Vector("9112 4 status line", "HTTP/1.1 200 OK\r\n\r\n", .accepted(.untilClose)),
        Vector("9112 4 HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\n", .accepted(.untilClose)),
        Vector("9112 4 empty reason", "HTTP/1.1 200 \r\n\r\n", .accepted(.untilClose)),
        Vector("9112 4 no space and no reason", "HTTP/1.1 200\r\n\r\n", .accepted(.untilClose)),
        Vector("9112 4 reason of several words", "HTTP/1.1 404 Not \t Found\r\n\r\n", .accepted(.untilClose)),
        Vector("9112 4 reason that begins with a space", "HTTP/1.1 404  x\r\n\r\n", .accepted(.untilClose)),
        Vector("9112 4 obs-text in the reason", "HTTP/1.1 404 pr\u{E9}\r\n\r\n", .accepted(.untilClose)),
        Vector("9110 15 lowest", "HTTP/1.1 100 \r\n\r\n", .accepted(.none)),
        Vector("9110 15 highest", "HTTP/1.1 599 \r\n\r\n", .accepted(.untilClose)),
        Vector("9110 15.6 unknown code", "HTTP/1.1 299 x\r\n\r\n", .accepted(.untilClose)),
    ]

    private static let refusedLines: [Vector] = [
        Vector("9110 15 000", "HTTP/1.1 000 x\r\n\r\n", .refused(.statusOutOfRange)),
        Vector("9110 15 099", "HTTP/1.1 099 x\r\n\r\n", .refused(.statusOutOfRange)),
        Vector("9110 15 600", "HTTP/1.1 600 x\r\n\r\n", .refused(.statusOutOfRange)),
        Vector("9110 15 999", "HTTP/1.1 999 x\r\n\r\n", .refused(.statusOutOfRange)),
        Vector("9112 4 two digits", "HTTP/1.1 20 OK\r\n\r\n", .refused(.malformedStatusLine)),
        Vector("9112 4 four digits", "HTTP/1.1 2000 OK\r\n\r\n", .refused(.malformedStatusLine)),
        Vector("9112 4 letters", "HTTP/1.1 2OO OK\r\n\r\n", .refused(.malformedStatusLine)),
        Vector("9112 4 negative", "HTTP/1.1 -20 OK\r\n\r\n", .refused(.malformedStatusLine)),
        Vector("9112 4 no space after the code", "HTTP/1.1 200OK\r\n\r\n", .refused(.malformedStatusLine)),
        Vector("9112 4 tab after the code", "HTTP/1.1 200\tOK\r\n\r\n", .refused(.malformedStatusLine)),
        Vector("9112 4 two spaces before the code", "HTTP/1.1  200 OK\r\n\r\n", .refused(.malformedStatusLine)),
        Vector("9112 4 tab before the code", "HTTP/1.1\t200 OK\r\n\r\n", .refused(.malformedStatusLine)),
        Vector("9112 4 no code", "HTTP/1.1\r\n\r\n", .refused(.malformedStatusLine)),
        Vector("9112 4 no code but a space", "HTTP/1.1 \r\n\r\n", .refused(.malformedStatusLine)),
        Vector("9112 4 NUL in the reason", "HTTP/1.1 200 O\u{0}K\r\n\r\n", .refused(.malformedReason)),
        Vector("9112 4 control in the reason", "HTTP/1.1 200 \u{1B}[1m\r\n\r\n", .refused(.malformedReason)),
        Vector("9112 4 DEL in the reason", "HTTP/1.1 200 OK\u{7F}\r\n\r\n", .refused(.malformedReason)),
        Vector("9112 4 CR in the reason", "HTTP/1.1 200 O\rK\r\n\r\n", .refused(.bareCarriageReturn)),
        Vector("9112 2.2 bare LF after the reason", "HTTP/1.1 200 OK\n\r\n", .refused(.bareLineFeed)),
        Vector("9112 2.2 bare LF after the code", "HTTP/1.1 200\n\r\n", .refused(.bareLineFeed)),
        Vector("9112 2.2 no empty line before", "\r\nHTTP/1.1 200 OK\r\n\r\n", .refused(.malformedStatusLine)),
        Vector("9112 2.3 HTTP/2.0", "HTTP/2.0 200 OK\r\n\r\n", .refused(.unsupportedVersion)),
        Vector("9112 2.3 HTTP/1.2", "HTTP/1.2 200 OK\r\n\r\n", .refused(.unsupportedVersion)),
        Vector("9112 2.3 HTTP/0.9", "HTTP/0.9 200 OK\r\n\r\n", .refused(.unsupportedVersion)),
        Vector("9112 2.3 HTTP/2", "HTTP/2 200 OK\r\n\r\n", .refused(.malformedVersion)),
        Vector("9112 2.3 lower case", "http/1.1 200 OK\r\n\r\n", .refused(.malformedStatusLine)),
        Vector("ICY", "ICY 200 OK\r\n\r\n", .refused(.malformedStatusLine)),
        Vector("1945 HTTP/0.9 body", "<html></html>", .refused(.malformedStatusLine)),
        Vector("a request", "GET / HTTP/1.1\r\n\r\n", .refused(.malformedStatusLine)),
    ]

    private static let fields: [Vector] = [
        Vector("9112 5.1 space before the colon", response("Server : x"), .refused(.spaceBeforeColon)),
        Vector("9112 5.2 obs-fold", response("Server: a\r\n b"), .refused(.foldedField)),
        Vector(
            "9112 2.2 space before the first field", "HTTP/1.1 200 OK\r\n Server: x\r\n\r\n",
            .refused(.foldedField)),
        Vector("9110 5.5 NUL", response("Server: a\u{0}"), .refused(.malformedFieldValue)),
        Vector("9110 5.5 control", response("Server: a\u{1F}"), .refused(.malformedFieldValue)),
        Vector("9112 2.2 bare LF", response("Server: a\nX: b"), .refused(.bareLineFeed)),
        Vector("9112 2.2 bare CR", response("Server: a\rX: b"), .refused(.bareCarriageReturn)),
        Vector("9110 5.1 name", response("Ser(ver: a"), .refused(.malformedFieldName)),
        Vector("9110 5.5 obs-text", response("Server: caf\u{E9}", "Content-Length: 0"), .accepted(.length(0))),
        Vector(
            "9110 7.2 Host means nothing here", response("Host: a b", "Host: c", "Content-Length: 1"),
            .accepted(.length(1))),
        Vector("9110 7.6.1 Connection", response("Connection: close x"), .refused(.malformedConnection)),
    ]

    private static let framing: [Vector] = [
        Vector("9112 6.3 length", response("Content-Length: 5"), .accepted(.length(5))),
        Vector("9112 6.3 length of zero", response("Content-Length: 0"), .accepted(.length(0))),
        Vector("9112 6.3 chunked", response("Transfer-Encoding: chunked"), .accepted(.chunked)),
        Vector("9112 6.3 until close", response("Connection: close"), .accepted(.untilClose)),
        Vector(
            "9112 6.3 both", response("Content-Length: 5", "Transfer-Encoding: chunked"),
            .refused(.conflictingFraming)),
        Vector(
            "9112 6.3 both, turned round", response("Transfer-Encoding: chunked", "Content-Length: 5"),
            .refused(.conflictingFraming)),
        Vector(
            "9112 6.1 coding in 1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            .refused(.transferEncodingInHTTP10)),
        Vector("9112 6.3 gzip", response("Transfer-Encoding: gzip"), .refused(.unsupportedTransferCoding)),
        Vector(
            "9112 6.3 gzip, chunked", response("Transfer-Encoding: gzip, chunked"),
            .refused(.unsupportedTransferCoding)),
        Vector("9112 6.3 identity", response("Transfer-Encoding: identity"), .refused(.unsupportedTransferCoding)),
        Vector(
            "9112 6.1 chunked twice", response("Transfer-Encoding: chunked, chunked"),
            .refused(.malformedTransferEncoding)),
        Vector(
            "9112 6.3 two codings", response("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
            .refused(.repeatedTransferEncoding)),
        Vector(
            "9112 6.3 two lengths", response("Content-Length: 5", "Content-Length: 6"),
            .refused(.repeatedContentLength)),
        Vector(
            "9112 6.3 two equal lengths", response("Content-Length: 5", "Content-Length: 5"),
            .refused(.repeatedContentLength)),
        Vector("9112 6.3 list of lengths", response("Content-Length: 5, 5"), .refused(.malformedContentLength)),
        Vector("9110 8.6 malformed length", response("Content-Length: -1"), .refused(.malformedContentLength)),
        Vector(
            "9110 8.6 overflow", response("Content-Length: 99999999999999999999"),
            .refused(.contentLengthOverflow)),
    ]

    private static let bodiless: [Vector] = [
        Vector("9112 6.3 HEAD with length", response("Content-Length: 5"), .accepted(.none), answering: .head),
        Vector("9112 6.3 HEAD chunked", response("Transfer-Encoding: chunked"), .accepted(.none), answering: .head),
        Vector("9112 6.3 HEAD without either", response(), .accepted(.none), answering: .head),
        Vector(
            "9112 6.3 HEAD with both", response("Content-Length: 5", "Transfer-Encoding: chunked"),
            .refused(.conflictingFraming), answering: .head),
        Vector(
            "9112 6.3 HEAD with a bad length", response("Content-Length: x"), .refused(.malformedContentLength),
            answering: .head),
        Vector("9112 6.3 204", response("Content-Length: 5", status: "204 No Content"), .accepted(.none)),
        Vector("9112 6.3 204 chunked", response("Transfer-Encoding: chunked", status: "204 x"), .accepted(.none)),
        Vector("9112 6.3 304", response("Content-Length: 5", status: "304 Not Modified"), .accepted(.none)),
        Vector("9112 6.3 304 without either", response(status: "304 Not Modified"), .accepted(.none)),
        Vector(
            "9112 6.3 304 with two lengths", response("Content-Length: 5", "Content-Length: 5", status: "304 x"),
            .refused(.repeatedContentLength)),
        Vector("9112 6.3 100", response(status: "100 Continue"), .accepted(.none)),
        Vector("9112 6.3 101", response("Upgrade: x", "Connection: upgrade", status: "101 x"), .accepted(.none)),
        Vector("9112 6.3 103 with length", response("Content-Length: 5", status: "103 Early Hints"), .accepted(.none)),
        Vector("9112 6.3 CONNECT opens a tunnel", response(), .accepted(.none), answering: .connect),
        Vector(
            "9112 6.3 CONNECT 2xx with length", response("Content-Length: 5"), .accepted(.none),
            answering: .connect),
        Vector(
            "9112 6.3 CONNECT refused", response("Content-Length: 5", status: "403 x"), .accepted(.length(5)),
            answering: .connect),
        Vector("9112 6.3 POST", response("Content-Length: 5"), .accepted(.length(5)), answering: .post),
    ]
}

import HTTPWire

/// RFC 9112 section 6: what Content-Length and Transfer-Encoding may say of a request's end.
enum RequestFramingVectors {
    static let all: [Vector] = lengths + codings + both + connects

    private static let maximum = UInt64(Int64.max)

    private static let lengths: [Vector] = [
        Vector("9112 6.3 neither", request(), .accepted(.none)),
        Vector("9110 8.6 length", request("Content-Length: 5"), .accepted(.length(5))),
        Vector("9110 8.6 zero", request("Content-Length: 0"), .accepted(.length(0))),
        Vector("9110 8.6 zero on a GET", request("Content-Length: 0", method: "GET"), .accepted(.length(0))),
        Vector("9110 8.6 body on a GET", request("Content-Length: 5", method: "GET"), .accepted(.length(5))),
        Vector("9110 8.6 any case of letters", request("cONTENT-lENGTH: 5"), .accepted(.length(5))),
        Vector("9110 8.6 leading zeros", request("Content-Length: 0005"), .accepted(.length(5))),
        Vector(
            "9110 8.6 many leading zeros", request("Content-Length: \(String(repeating: "0", count: 40))7"),
            .accepted(.length(7))),
        Vector("9110 8.6 largest", request("Content-Length: 9223372036854775807"), .accepted(.length(maximum))),
        Vector(
            "9110 8.6 one too large", request("Content-Length: 9223372036854775808"),
            .refused(.contentLengthOverflow)),
        Vector(
            "9110 8.6 UInt64 maximum", request("Content-Length: 18446744073709551615"),
            .refused(.contentLengthOverflow)),
        Vector(
            "9110 8.6 wraps to zero", request("Content-Length: 18446744073709551616"),
            .refused(.contentLengthOverflow)),
        Vector(
            "9110 8.6 wraps to five", request("Content-Length: 18446744073709551621"),
            .refused(.contentLengthOverflow)),
        Vector(
            "9110 8.6 a hundred nines", request("Content-Length: \(String(repeating: "9", count: 100))"),
            .refused(.contentLengthOverflow)),
        Vector("9110 8.6 empty", request("Content-Length:"), .refused(.malformedContentLength)),
        Vector("9110 8.6 plus sign", request("Content-Length: +5"), .refused(.malformedContentLength)),
        Vector("9110 8.6 negative", request("Content-Length: -5"), .refused(.malformedContentLength)),
        Vector("9110 8.6 minus zero", request("Content-Length: -0"), .refused(.malformedContentLength)),
        Vector("9110 8.6 hexadecimal", request("Content-Length: 0x5"), .refused(.malformedContentLength)),
        Vector("9110 8.6 hexadecimal digit", request("Content-Length: a"), .refused(.malformedContentLength)),
        Vector("9110 8.6 fraction", request("Content-Length: 5.0"), .refused(.malformedContentLength)),
        Vector("9110 8.6 exponent", request("Content-Length: 1e1"), .refused(.malformedContentLength)),
        Vector("9110 8.6 underscore", request("Content-Length: 1_0"), .refused(.malformedContentLength)),
        Vector("9110 8.6 space inside", request("Content-Length: 1 0"), .refused(.malformedContentLength)),
        Vector("9110 8.6 quoted", request("Content-Length: \"5\""), .refused(.malformedContentLength)),
        Vector("9110 8.6 superscript", request("Content-Length: \u{B2}"), .refused(.malformedContentLength)),
        Vector("9110 8.6 list", request("Content-Length: 5, 6"), .refused(.malformedContentLength)),
        Vector("9110 8.6 equal list", request("Content-Length: 5, 5"), .refused(.malformedContentLength)),
        Vector("9110 8.6 trailing comma", request("Content-Length: 5,"), .refused(.malformedContentLength)),
        Vector(
            "9112 6.3 two differing", request("Content-Length: 5", "Content-Length: 6"),
            .refused(.repeatedContentLength)),
        Vector(
            "9112 6.3 two equal", request("Content-Length: 5", "Content-Length: 5"),
            .refused(.repeatedContentLength)),
        Vector(
            "9112 6.3 one empty", request("Content-Length: 5", "content-length:"),
            .refused(.repeatedContentLength)),
        Vector(
            "9112 6.3 apart", request("Content-Length: 5", "X: y", "Content-Length: 5"),
            .refused(.repeatedContentLength)),
    ]

    private static let codings: [Vector] = [
        Vector("9112 6.1 chunked", request("Transfer-Encoding: chunked"), .accepted(.chunked)),
        Vector("9112 7 any case of letters", request("transfer-encoding: Chunked"), .accepted(.chunked)),
        Vector("9112 6.1 white space around", request("Transfer-Encoding: \tchunked \t"), .accepted(.chunked)),
        Vector("9112 6.1 on a GET", request("Transfer-Encoding: chunked", method: "GET"), .accepted(.chunked)),
        Vector(
            "9112 6.1 in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
            .refused(.transferEncodingInHTTP10)),
        Vector("9112 6.1 other coding", request("Transfer-Encoding: gzip"), .refused(.unsupportedTransferCoding)),
        Vector(
            "9112 6.1 gzip, chunked", request("Transfer-Encoding: gzip, chunked"),
            .refused(.unsupportedTransferCoding)),
        Vector("9112 7 identity", request("Transfer-Encoding: identity"), .refused(.unsupportedTransferCoding)),
        Vector("9112 7 x-chunked", request("Transfer-Encoding: xchunked"), .refused(.unsupportedTransferCoding)),
        Vector("9112 7 chunkedx", request("Transfer-Encoding: chunkedx"), .refused(.unsupportedTransferCoding)),
        Vector("9112 7 chunke", request("Transfer-Encoding: chunke"), .refused(.unsupportedTransferCoding)),
        Vector(
            "9112 6.3 chunked, gzip", request("Transfer-Encoding: chunked, gzip"),
            .refused(.malformedTransferEncoding)),
        Vector(
            "9112 6.1 chunked twice", request("Transfer-Encoding: chunked, chunked"),
            .refused(.malformedTransferEncoding)),
        Vector(
            "9112 6.1 chunked thrice", request("Transfer-Encoding: chunked, gzip, chunked"),
            .refused(.malformedTransferEncoding)),
        Vector("9112 6.1 empty", request("Transfer-Encoding:"), .refused(.malformedTransferEncoding)),
        Vector(
            "9112 6.1 trailing comma", request("Transfer-Encoding: chunked,"),
            .refused(.malformedTransferEncoding)),
        Vector(
            "9112 6.1 leading comma", request("Transfer-Encoding: ,chunked"),
            .refused(.malformedTransferEncoding)),
        Vector(
            "9112 6.1 parameter", request("Transfer-Encoding: chunked;q=1"),
            .refused(.malformedTransferEncoding)),
        Vector("9112 6.1 quoted", request("Transfer-Encoding: \"chunked\""), .refused(.malformedTransferEncoding)),
        Vector(
            "9112 6.1 two words", request("Transfer-Encoding: chunked chunked"),
            .refused(.malformedTransferEncoding)),
        Vector(
            "9112 6.1 obs-text", request("Transfer-Encoding: chunked\u{A0}"),
            .refused(.malformedTransferEncoding)),
        Vector(
            "9112 6.3 two equal fields", request("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
            .refused(.repeatedTransferEncoding)),
        Vector(
            "9112 6.3 two fields", request("Transfer-Encoding: gzip", "Transfer-Encoding: chunked"),
            .refused(.repeatedTransferEncoding)),
        Vector(
            "9112 6.3 second field hides", request("Transfer-Encoding: chunked", "Transfer-encoding: x"),
            .refused(.repeatedTransferEncoding)),
        Vector("9110 5.1 underscore is another name", request("Transfer_Encoding: chunked"), .accepted(.none)),
        Vector("9110 10.1.4 TE frames nothing", request("TE: chunked"), .accepted(.none)),
    ]

    private static let both: [Vector] = [
        Vector(
            "9112 6.3 length, coding", request("Content-Length: 5", "Transfer-Encoding: chunked"),
            .refused(.conflictingFraming)),
        Vector(
            "9112 6.3 coding, length", request("Transfer-Encoding: chunked", "Content-Length: 5"),
            .refused(.conflictingFraming)),
        Vector(
            "9112 6.3 length of zero", request("Content-Length: 0", "Transfer-Encoding: chunked"),
            .refused(.conflictingFraming)),
        Vector(
            "9112 6.3 coding unknown", request("Content-Length: 5", "Transfer-Encoding: x"),
            .refused(.conflictingFraming)),
        Vector(
            "9112 6.3 coding empty", request("Content-Length: 5", "Transfer-Encoding:"),
            .refused(.conflictingFraming)),
        Vector(
            "9112 6.3 length malformed", request("Transfer-Encoding: chunked", "Content-Length: x"),
            .refused(.conflictingFraming)),
        Vector(
            "9112 6.3 in 1.0", "POST / HTTP/1.0\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
            .refused(.conflictingFraming)),
    ]

    private static func connect(_ fields: String) -> String {
        "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\(fields)\r\n"
    }

    private static let connects: [Vector] = [
        Vector("9110 9.3.6 no content", connect(""), .accepted(.none)),
        Vector("9110 9.3.6 length of zero", connect("Content-Length: 0\r\n"), .accepted(.none)),
        Vector("9110 9.3.6 length", connect("Content-Length: 5\r\n"), .refused(.contentInConnect)),
        Vector("9110 9.3.6 chunked", connect("Transfer-Encoding: chunked\r\n"), .refused(.contentInConnect)),
    ]
}

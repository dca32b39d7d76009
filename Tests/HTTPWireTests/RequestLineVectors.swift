import HTTPWire

/// RFC 9112 section 3: method SP target SP version.
enum RequestLineVectors {
    static let all: [Vector] = methods + spacing + versions + lineEnds + notHTTP

    private static let host = "\r\nHost: a.example\r\n\r\n"

    private static let methods: [Vector] = [
        Vector("9110 9.1 GET", "GET /" + " HTTP/1.1" + host, .accepted(.none)),
        Vector("9110 9.1 HEAD", "HEAD / HTTP/1.1" + host, .accepted(.none)),
        Vector("9110 9.1 POST", "POST / HTTP/1.1" + host, .accepted(.none)),
        Vector("9110 9.1 PUT", "PUT / HTTP/1.1" + host, .accepted(.none)),
        Vector("9110 9.1 DELETE", "DELETE / HTTP/1.1" + host, .accepted(.none)),
        Vector("9110 9.1 OPTIONS", "OPTIONS / HTTP/1.1" + host, .accepted(.none)),
        Vector("9110 9.1 TRACE", "TRACE / HTTP/1.1" + host, .accepted(.none)),
        Vector("5789 PATCH", "PATCH / HTTP/1.1" + host, .accepted(.none)),
        Vector("9110 9.1 unknown method", "PROPFIND / HTTP/1.1" + host, .accepted(.none)),
        Vector("9110 9.1 methods are case-sensitive", "get / HTTP/1.1" + host, .accepted(.none)),
        Vector("9110 5.6.2 every token byte", "!#$%&'*+-.^_`|~09azAZ / HTTP/1.1" + host, .accepted(.none)),
        Vector("9110 9.1 one letter", "M / HTTP/1.1" + host, .accepted(.none)),
        Vector("9110 5.6.2 not a token (", "GE(T / HTTP/1.1" + host, .refused(.malformedRequestLine)),
        Vector("9110 5.6.2 not a token :", "GET: / HTTP/1.1" + host, .refused(.malformedRequestLine)),
        Vector("9110 5.6.2 not a token /", "GET/ / HTTP/1.1" + host, .refused(.malformedRequestLine)),
        Vector("9110 5.6.2 not a token \"", "\"GET\" / HTTP/1.1" + host, .refused(.malformedRequestLine)),
        Vector("9110 5.6.2 NUL in the method", "GE\u{0}T / HTTP/1.1" + host, .refused(.malformedRequestLine)),
        Vector("9110 5.6.2 obs-text in the method", "G\u{C9}T / HTTP/1.1" + host, .refused(.malformedRequestLine)),
    ]

    private static let spacing: [Vector] = [
        Vector("9112 3 two spaces after the method", "GET  / HTTP/1.1" + host, .refused(.malformedRequestLine)),
        Vector("9112 3 two spaces after the target", "GET /  HTTP/1.1" + host, .refused(.malformedRequestLine)),
        Vector("9112 3 tab after the method", "GET\t/ HTTP/1.1" + host, .refused(.malformedRequestLine)),
        Vector("9112 3 tab after the target", "GET /\tHTTP/1.1" + host, .refused(.malformedTarget)),
        Vector("9112 3 space before the method", " GET / HTTP/1.1" + host, .refused(.malformedRequestLine)),
        Vector("9112 3 tab before the method", "\tGET / HTTP/1.1" + host, .refused(.malformedRequestLine)),
        Vector("9112 3 space after the version", "GET / HTTP/1.1 " + host, .refused(.malformedRequestLine)),
        Vector("9112 3.2 space in the target", "GET /a b HTTP/1.1" + host, .refused(.malformedRequestLine)),
        Vector(
            "9112 3 a second request line in the target", "GET / HTTP/1.1 HTTP/1.1" + host,
            .refused(.malformedRequestLine)),
        Vector("9112 3 vertical tab", "GET\u{B}/ HTTP/1.1" + host, .refused(.malformedRequestLine)),
        Vector("9112 3 form feed", "GET /\u{C}HTTP/1.1" + host, .refused(.malformedTarget)),
        Vector("9112 3 no target", "GET HTTP/1.1" + host, .refused(.malformedRequestLine)),
        Vector("9112 3 no method", " / HTTP/1.1" + host, .refused(.malformedRequestLine)),
    ]

    private static let versions: [Vector] = [
        Vector("9112 2.3 HTTP/1.0 needs no Host", "GET / HTTP/1.0\r\n\r\n", .accepted(.none)),
        Vector("1945 HTTP/0.9 simple request", "GET /\r\n\r\n", .refused(.malformedRequestLine)),
        Vector("1945 HTTP/0.9 by number", "GET / HTTP/0.9" + host, .refused(.unsupportedVersion)),
        Vector("9112 2.3 HTTP/1.2", "GET / HTTP/1.2" + host, .refused(.unsupportedVersion)),
        Vector("9110 15.6.6 HTTP/2.0", "GET / HTTP/2.0" + host, .refused(.unsupportedVersion)),
        Vector("9110 15.6.6 HTTP/3.0", "GET / HTTP/3.0" + host, .refused(.unsupportedVersion)),
        Vector("9113 3.4 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .refused(.unsupportedVersion)),
        Vector("9112 2.3 HTTP/2 without minor", "GET / HTTP/2\r\n\r\n", .refused(.malformedVersion)),
        Vector("9112 2.3 HTTP/1", "GET / HTTP/1\r\n\r\n", .refused(.malformedVersion)),
        Vector("9112 2.3 HTTP/1.", "GET / HTTP/1.\r\n\r\n", .refused(.malformedVersion)),
        Vector("9112 2.3 HTTP/.1", "GET / HTTP/.1\r\n\r\n", .refused(.malformedVersion)),
        Vector("9112 2.3 HTTP/11.1", "GET / HTTP/11.1" + host, .refused(.malformedVersion)),
        Vector("9112 2.3 HTTP/1.10", "GET / HTTP/1.10" + host, .refused(.malformedRequestLine)),
        Vector("9112 2.3 HTTP/1,1", "GET / HTTP/1,1" + host, .refused(.malformedVersion)),
        Vector("9112 2.3 HTTP/+1.1", "GET / HTTP/+1.1" + host, .refused(.malformedVersion)),
        Vector("9112 2.3 case-sensitive", "GET / http/1.1" + host, .refused(.malformedRequestLine)),
        Vector("9112 2.3 mixed case", "GET / Http/1.1" + host, .refused(.malformedVersion)),
        Vector("9112 2.3 other protocol", "GET / HTTPS/1.1" + host, .refused(.malformedVersion)),
        Vector("9112 2.3 other protocol", "GET / RTSP/1.0" + host, .refused(.malformedRequestLine)),
        Vector("9112 2.3 NUL after the version", "GET / HTTP/1.1\u{0}" + host, .refused(.malformedRequestLine)),
        Vector("9112 2.3 superscript digit", "GET / HTTP/1.\u{B9}" + host, .refused(.malformedVersion)),
    ]

    private static let lineEnds: [Vector] = [
        Vector("9112 2.2 one empty line before", "\r\nGET / HTTP/1.1" + host, .accepted(.none)),
        Vector("9112 2.2 two empty lines before", "\r\n\r\nGET / HTTP/1.1" + host, .refused(.malformedRequestLine)),
        Vector("9112 2.2 bare LF before", "\nGET / HTTP/1.1" + host, .refused(.bareLineFeed)),
        Vector("9112 2.2 bare CR before", "\rGET / HTTP/1.1" + host, .refused(.bareCarriageReturn)),
        Vector("9112 2.2 bare LF ends the line", "GET / HTTP/1.1\nHost: a.example\r\n\r\n", .refused(.bareLineFeed)),
        Vector("9112 2.2 bare LF throughout", "GET / HTTP/1.1\nHost: a.example\n\n", .refused(.bareLineFeed)),
        Vector(
            "9112 2.2 bare CR ends the line", "GET / HTTP/1.1\rHost: a.example\r\n\r\n",
            .refused(.bareCarriageReturn)),
        Vector("9112 2.2 CR CR LF", "GET / HTTP/1.1\r\r\nHost: a.example\r\n\r\n", .refused(.bareCarriageReturn)),
        Vector("9112 2.2 CR in the method", "GE\rT / HTTP/1.1" + host, .refused(.malformedRequestLine)),
        Vector("9112 2.2 LF in the method", "GE\nT / HTTP/1.1" + host, .refused(.bareLineFeed)),
        Vector("9112 2.2 LF in the target", "GET /a\nb HTTP/1.1" + host, .refused(.malformedRequestLine)),
        Vector("9112 2.2 LF instead of the version", "GET / \n\r\n", .refused(.bareLineFeed)),
    ]

    private static let notHTTP: [Vector] = [
        Vector("8446 ClientHello", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{FC}", .refused(.tlsInsteadOfHTTP)),
        Vector("1928 SOCKS 5 greeting", "\u{5}\u{1}\u{0}", .refused(.malformedRequestLine)),
        Vector("haproxy PROXY protocol", "PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n", .refused(.malformedRequestLine)),
        Vector("NUL bytes", "\u{0}\u{0}\u{0}\u{0}", .refused(.malformedRequestLine)),
        Vector("a response", "HTTP/1.1 200 OK\r\n\r\n", .refused(.malformedRequestLine)),
    ]
}

import HTTPWire

/// RFC 9112 section 3.2 and RFC 3986 section 3.2: the forms of a target and the hosts that they may name.
enum TargetVectors {
    static let all: [Vector] = forms + bytes + hosts + ports

    private static func get(_ target: String, _ method: String = "GET") -> String {
        head("\(method) \(target) HTTP/1.1", "Host: a.example")
    }

    private static let forms: [Vector] = [
        Vector("9112 3.2.1 origin-form", get("/where?q=now"), .accepted(.none)),
        Vector("9112 3.2.1 two slashes", get("//a.example/x"), .accepted(.none)),
        Vector("9112 3.2.2 absolute-form", get("http://www.example.org/pub/WWW/TheProject.html"), .accepted(.none)),
        Vector("9112 3.2.2 https", get("https://www.example.org/"), .accepted(.none)),
        Vector("9112 3.2.2 no path", get("http://www.example.org"), .accepted(.none)),
        Vector("9112 3.2.2 no path but a query", get("http://www.example.org?x=1"), .accepted(.none)),
        Vector("3986 3.1 scheme in any case", get("HtTp://www.example.org/"), .accepted(.none)),
        Vector("9112 3.2.2 at sign in the path", get("http://a.example/@b"), .accepted(.none)),
        Vector("9112 3.2.2 at sign in the query", get("http://a.example?@b"), .accepted(.none)),
        Vector("9112 3.2.3 authority-form", get("www.example.com:443", "CONNECT"), .accepted(.none)),
        Vector("9112 3.2.3 authority-form IPv6", get("[2001:db8::1]:443", "CONNECT"), .accepted(.none)),
        Vector("9112 3.2.3 CONNECT in 1.0 without Host", "CONNECT a.example:443 HTTP/1.0\r\n\r\n", .accepted(.none)),
        Vector("9112 3.2.3 no port", get("www.example.com", "CONNECT"), .refused(.malformedPort)),
        Vector("9112 3.2.3 empty port", get("www.example.com:", "CONNECT"), .refused(.malformedPort)),
        Vector("9112 3.2.3 no host", get(":443", "CONNECT"), .refused(.emptyHost)),
        Vector("9112 3.2.3 CONNECT with origin-form", get("/", "CONNECT"), .refused(.targetFormNotAllowed)),
        Vector(
            "9112 3.2.3 CONNECT with absolute-form", get("http://a.example:80/", "CONNECT"),
            .refused(.targetFormNotAllowed)),
        Vector("9112 3.2.3 CONNECT with a path", get("a.example:443/x", "CONNECT"), .refused(.targetFormNotAllowed)),
        Vector("9112 3.2.3 CONNECT with asterisk", get("*", "CONNECT"), .refused(.malformedHost)),
        Vector("9112 3.2.3 userinfo", get("u:p@a.example:443", "CONNECT"), .refused(.userInformation)),
        Vector("9112 3.2.3 GET with authority-form", get("a.example:443"), .refused(.malformedTarget)),
        Vector(
            "9112 3.2.3 connect in lower case is no CONNECT", get("a.example:443", "connect"),
            .refused(.malformedTarget)),
        Vector("9112 3.2.4 asterisk-form", get("*", "OPTIONS"), .accepted(.none)),
        Vector("9112 3.2.4 asterisk with GET", get("*"), .refused(.targetFormNotAllowed)),
        Vector("9112 3.2.4 asterisk and more", get("*x", "OPTIONS"), .refused(.malformedTarget)),
        Vector("9112 3.2 relative path", get("index.html"), .refused(.malformedTarget)),
        Vector("9112 3.2 query alone", get("?x"), .refused(.malformedTarget)),
        Vector("9110 4.2 ftp", get("ftp://a.example/"), .refused(.unsupportedScheme)),
        Vector("9110 4.2 ws", get("ws://a.example/"), .refused(.unsupportedScheme)),
        Vector("9110 4.2 file", get("file:///etc/passwd"), .refused(.unsupportedScheme)),
        Vector("9110 4.2 httpx", get("httpx://a.example/"), .refused(.unsupportedScheme)),
        Vector("9110 4.2 no slashes", get("http:a.example"), .refused(.malformedTarget)),
        Vector("9110 4.2 one slash", get("http:/a.example"), .refused(.malformedTarget)),
        Vector("9110 4.2 scheme alone", get("http:"), .refused(.malformedTarget)),
        Vector("9110 4.2 backslashes", get("http:\\\\a.example/"), .refused(.malformedTarget)),
        Vector("9110 4.2 empty scheme", get("://a.example/"), .refused(.malformedTarget)),
    ]

    private static let bytes: [Vector] = [
        Vector("9110 4.2 untouched path", get("/%zz/{a}|\"b\"?<c>\\^`"), .accepted(.none)),
        Vector("9110 4.2 8000 bytes", get("/" + String(repeating: "x", count: 7_999)), .accepted(.none)),
        Vector("9110 4.2.5 fragment", get("/a#b"), .refused(.malformedTarget)),
        Vector("9110 4.2.5 fragment of absolute-form", get("http://a.example/#"), .refused(.malformedTarget)),
        Vector("9112 3.2 NUL", get("/a\u{0}b"), .refused(.malformedTarget)),
        Vector("9112 3.2 DEL", get("/a\u{7F}b"), .refused(.malformedTarget)),
        Vector("9112 3.2 0x01", get("/\u{1}"), .refused(.malformedTarget)),
        Vector("9112 3.2 0x1F late in a long target", get("/abcdefghijklmnopq\u{1F}"), .refused(.malformedTarget)),
        Vector("9112 3.2 obs-text", get("/caf\u{E9}"), .refused(.malformedTarget)),
        Vector("9112 3.2 UTF-8", get("/\u{C3}\u{A9}"), .refused(.malformedTarget)),
        Vector("9112 3.2 0x80 after seven bytes", get("/123456\u{80}"), .refused(.malformedTarget)),
        Vector("9112 3.2 CR in the target", get("/a\rb"), .refused(.malformedRequestLine)),
    ]

    private static let hosts: [Vector] = [
        Vector("3986 3.2.2 IPv4", get("http://192.0.2.1/"), .accepted(.none)),
        Vector("3986 3.2.2 IPv6", get("http://[::1]:8080/"), .accepted(.none)),
        Vector("3986 3.2.2 single label", get("http://localhost/"), .accepted(.none)),
        Vector("3986 3.2.2 underscore", get("http://my_service.ns/"), .accepted(.none)),
        Vector("3986 3.2.2 root dot", get("http://a.example./"), .accepted(.none)),
        Vector("3986 3.2.2 digits in a name", get("http://1and1.example/"), .accepted(.none)),
        Vector("9110 4.2.1 empty host", get("http:///x"), .refused(.emptyHost)),
        Vector("9110 4.2.1 empty host with port", get("http://:80/"), .refused(.emptyHost)),
        Vector("9110 4.2.1 nothing after the slashes", get("http://"), .refused(.emptyHost)),
        Vector("9110 4.2.1 query instead of host", get("http://?x"), .refused(.emptyHost)),
        Vector("9110 4.2.4 userinfo", get("http://user@a.example/"), .refused(.userInformation)),
        Vector("9110 4.2.4 userinfo with password", get("http://user:pw@a.example/"), .refused(.userInformation)),
        Vector("9110 4.2.4 empty userinfo", get("http://@a.example/"), .refused(.userInformation)),
        Vector(
            "9110 4.2.4 userinfo that looks like a host", get("http://a.example:80@b.example/"),
            .refused(.userInformation)),
        Vector("3986 3.2.2 percent-encoding", get("http://%61.example/"), .refused(.malformedHost)),
        Vector("3986 3.2.2 percent-encoded NUL", get("http://a%00.example/"), .refused(.malformedHost)),
        Vector("3986 3.2.2 backslash", get("http://a.example\\@b.example/"), .refused(.userInformation)),
        Vector("3986 3.2.2 backslash as a slash", get("http://a.example\\x/"), .refused(.malformedHost)),
        Vector("3986 3.2.2 comma", get("http://a,b/"), .refused(.malformedHost)),
        Vector("3986 3.2.2 semicolon", get("http://a;b/"), .refused(.malformedHost)),
        Vector("3986 3.2.2 quote", get("http://a\"b/"), .refused(.malformedHost)),
        Vector("3986 3.2.2 angle brackets", get("http://<a>/"), .refused(.malformedHost)),
        Vector("3986 3.2.2 empty label", get("http://a..example/"), .refused(.malformedHost)),
        Vector("3986 3.2.2 leading dot", get("http://.example/"), .refused(.malformedHost)),
        Vector("3986 3.2.2 dot alone", get("http://./"), .refused(.malformedHost)),
        Vector("1035 2.3.4 too long", get("http://\(String(repeating: "a", count: 255))/"), .refused(.malformedHost)),
        Vector("3986 3.2.2 three numbers", get("http://127.0.1/"), .refused(.malformedHost)),
        Vector("3986 3.2.2 one number", get("http://2130706433/"), .refused(.malformedHost)),
        Vector("3986 3.2.2 octal", get("http://0177.0.0.1/"), .refused(.malformedHost)),
        Vector("3986 3.2.2 hexadecimal", get("http://0x7f.0.0.1/"), .refused(.malformedHost)),
        Vector("3986 3.2.2 hexadecimal last", get("http://127.0.0.0x1/"), .refused(.malformedHost)),
        Vector("3986 3.2.2 number over 255", get("http://256.0.0.1/"), .refused(.malformedHost)),
        Vector("3986 3.2.2 IPv4 with root dot", get("http://127.0.0.1./"), .refused(.malformedHost)),
        Vector("3986 3.2.2 IPv6 without brackets", get("http://::1/"), .refused(.emptyHost)),
        Vector("3986 3.2.2 unclosed bracket", get("http://[::1/"), .refused(.malformedHost)),
        Vector("3986 3.2.2 empty brackets", get("http://[]/"), .refused(.malformedHost)),
        Vector("3986 3.2.2 name in brackets", get("http://[a.example]/"), .refused(.malformedHost)),
        Vector("3986 3.2.2 IPvFuture", get("http://[v1.a]/"), .refused(.malformedHost)),
        Vector("6874 zone", get("http://[fe80::1%25eth0]/"), .refused(.malformedHost)),
        Vector("3986 3.2.2 text after the bracket", get("http://[::1]x/"), .refused(.malformedHost)),
        Vector("3986 3.2.2 bracket inside", get("http://a[::1]/"), .refused(.malformedHost)),
    ]

    private static let ports: [Vector] = [
        Vector("3986 3.2.3 port", get("http://a.example:8080/"), .accepted(.none)),
        Vector("3986 3.2.3 highest port", get("http://a.example:65535/"), .accepted(.none)),
        Vector("3986 3.2.3 leading zero", get("http://a.example:080/"), .accepted(.none)),
        Vector("3986 3.2.3 overflow", get("http://a.example:65536/"), .refused(.malformedPort)),
        Vector(
            "3986 3.2.3 overflow of 64 bits", get("http://a.example:18446744073709551696/"),
            .refused(.malformedPort)),
        Vector("3986 3.2.3 six digits", get("http://a.example:000080/"), .refused(.malformedPort)),
        Vector("3986 3.2.3 zero", get("http://a.example:0/"), .refused(.malformedPort)),
        Vector("3986 3.2.3 empty", get("http://a.example:/"), .refused(.malformedPort)),
        Vector("3986 3.2.3 sign", get("http://a.example:+80/"), .refused(.malformedPort)),
        Vector("3986 3.2.3 negative", get("http://a.example:-1/"), .refused(.malformedPort)),
        Vector("3986 3.2.3 letters", get("http://a.example:http/"), .refused(.malformedPort)),
        Vector("3986 3.2.3 hexadecimal", get("http://a.example:0x50/"), .refused(.malformedPort)),
        Vector("3986 3.2.3 two ports", get("http://a.example:80:80/"), .refused(.malformedPort)),
        Vector("3986 3.2.3 port after IPv6", get("http://[::1]:x/"), .refused(.malformedPort)),
    ]
}

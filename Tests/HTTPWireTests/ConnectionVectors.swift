import HTTPWire

/// RFC 9110 section 7.6.1: the Connection field as a list of tokens.
enum ConnectionVectors {
    private static func named(_ count: Int) -> String {
        (0..<count).map { "x-\($0)" }.joined(separator: ",")
    }

    static let all: [Vector] = [
        Vector("9110 7.6.1 close", request("Connection: close"), .accepted(.none)),
        Vector("9110 7.6.1 several fields", request("Connection: te", "Connection: close"), .accepted(.none)),
        Vector("9110 5.6.1 empty elements", request("Connection: , close,, ,te,"), .accepted(.none)),
        Vector("9110 7.6.1 empty", request("Connection:"), .accepted(.none)),
        Vector("9110 7.6.1 names as many as are kept", request("Connection: \(named(32))"), .accepted(.none)),
        Vector("9110 7.6.1 names one more", request("Connection: \(named(33))"), .refused(.tooManyConnectionOptions)),
        Vector(
            "9110 7.6.1 names one more in another field",
            request("Connection: \(named(32))", "Connection: y"), .refused(.tooManyConnectionOptions)),
        Vector("9110 7.6.1 two words", request("Connection: close te"), .refused(.malformedConnection)),
        Vector("9110 7.6.1 parameter", request("Connection: close;x"), .refused(.malformedConnection)),
        Vector("9110 7.6.1 quoted", request("Connection: \"close\""), .refused(.malformedConnection)),
        Vector("9110 7.6.1 obs-text", request("Connection: clos\u{E9}"), .refused(.malformedConnection)),
    ]
}

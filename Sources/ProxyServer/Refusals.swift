import HTTPWire
import ProxyCore

/// The requests that are refused for where they want to go, in words for the person who sent them.
enum Refusals {
    static func connect(_ head: borrowing RequestHead, in bytes: Span<UInt8>) -> ProxyError {
        guard case .authority(let host, let port) = head.target else {
            preconditionFailure("a CONNECT without an authority was parsed")
        }
        let advice = ConnectAdvice(port: port)
        let place = text(host, in: bytes) + (port == 443 || port == 80 ? "" : ":\(port)")
        let sentence =
            switch advice {
            case .askForHTTP:
                "Ask for http://\(place)/ instead of https://\(place)/; the route decides whether TLS is used to the backend"
            case .doNotTunnel:
                "Send GET http://\(place)/ to the proxy without CONNECT, in undici by ProxyAgent's proxyTunnel: false"
            case .askForHTTPWithoutTunnel:
                "Ask for http://\(place)/ instead of https://\(place)/; a client that tunnels http:// too must send it without "
                    + "CONNECT, in undici by ProxyAgent's proxyTunnel: false"
            }
        return ProxyError(.connectDenied(advice), "A CONNECT tunnel cannot carry a credential. \(sentence)")
    }

    static let trace = ProxyError(
        .traceDenied, "TRACE is refused where a credential is attached: the answer would show it to the app")

    static let ambiguousCredential = ProxyError(
        .ambiguousCredential,
        "The request has several lines that say who asks (Authorization, or the field of the route's credential), and the "
            + "backend could go by any of them: send one")

    static let notForAProxy = ProxyError(
        .notForAProxy,
        "This is a forward proxy: send the whole URL in the request line (GET http://host/path HTTP/1.1), "
            + "as clients do with HTTP_PROXY set")

    static func destination(_ head: borrowing RequestHead, in bytes: Span<UInt8>) -> ProxyError {
        guard case .absolute(_, let host, let port, _) = head.target else { return notForAProxy }
        let place = text(host, in: bytes) + (port.map { ":\($0)" } ?? "")
        return ProxyError(
            .destinationDenied,
            "No route matches \(place); add one to routes (or a --backend), or set unmatched: forward to let requests "
                + "pass without a credential")
    }

    static func plaintext(_ head: borrowing RequestHead, in bytes: Span<UInt8>, _ route: Route) -> ProxyError {
        guard case .absolute(_, let host, let port, _) = head.target else { return notForAProxy }
        let place = text(host, in: bytes) + (port.map { ":\($0)" } ?? "")
        return ProxyError(
            .plaintextDenied,
            "https://\(place) was asked for, but the upstream of route \(route.name) is http://. Give the route an https:// "
                + "upstream, or set its allowPlaintext: true (--allow-plaintext) to send such requests in plain text")
    }

    private static func text(_ range: ByteRange, in bytes: Span<UInt8>) -> String {
        var copy: [UInt8] = []
        copy.append(copying: bytes, range)
        return String(decoding: copy, as: UTF8.self)
    }
}

import HTTPWire
import ProxyCore

/// The requests that are refused for where they want to go, in words for the person who sent them.
enum Refusals {
    static let connect = ProxyError(
        .connectDenied,
        "A CONNECT tunnel cannot carry a credential. Ask for http://HOST/ instead of https://HOST/: "
            + "the connection to the backend is TLS where its route says so")

    static let trace = ProxyError(
        .traceDenied, "TRACE is refused where a credential is attached: the answer would show it to the app")

    static let notForAProxy = ProxyError(
        .notForAProxy,
        "This is a forward proxy: send the whole URL in the request line (GET http://host/path HTTP/1.1), "
            + "as clients do with HTTP_PROXY set")

    static func destination(_ head: borrowing RequestHead, in bytes: Span<UInt8>) -> ProxyError {
        guard case .absolute(_, let host, let port, _) = head.target else { return notForAProxy }
        var name: [UInt8] = []
        name.append(copying: bytes, host)
        let place = String(decoding: name, as: UTF8.self) + (port.map { ":\($0)" } ?? "")
        return ProxyError(
            .destinationDenied,
            "No route matches \(place); add one to routes (or a --backend), or set unmatched: forward to let requests "
                + "pass without a credential")
    }
}


package import HTTPWire

/// A response of Attaché's own: a status, `Proxy-Status` (RFC 9209) and a problem (RFC 9457) that says what to do.
package struct ErrorResponse {
    package let status: Int
    private var title: StaticString
    /// The error type of RFC 9209 section 2.3.
    private let proxyStatus: StaticString
    /// The challenge that a 401 must carry (RFC 9110 section 15.5.2).
    private var challenge: StaticString?
    /// The challenge that a 407 must carry (RFC 9110 section 15.5.8).
    private var proxyChallenge: StaticString?
    /// A reason phrase that says what to do, in place of the usual one.
    private var advisingReason: StaticString?
    private let error: ProxyError

    package init(_ error: ProxyError) {
        self.error = error
        switch error.kind {
        case .malformedRequest(let reason):
            status = reason.status
            title = "The request cannot be forwarded"
            proxyStatus = "http_request_error"
        case .notForAProxy:
            (status, title, proxyStatus) = (400, "The request names no destination", "http_request_error")
        case .notForAGateway:
            (status, title, proxyStatus) = (400, "The request is for a proxy", "http_request_error")
        case .hostDenied:
            (status, title, proxyStatus) = (421, "Host not known", "http_request_denied")
        case .originDenied:
            (status, title, proxyStatus) = (403, "Web page not allowed", "http_request_denied")
        case .ambiguousCredential:
            (status, title, proxyStatus) = (400, "The request has more than one credential", "http_request_error")
        case .parameterUnusable:
            (status, title, proxyStatus) = (400, "The request does not say which token it needs", "http_request_error")
        case .subjectMissing:
            (status, title, proxyStatus) = (401, "The request has no token of its own", "http_request_denied")
            challenge = "Bearer"
        case .subjectRefused:
            (status, title, proxyStatus) = (401, "The request's own token was refused", "http_request_denied")
            challenge = "Bearer error=\"invalid_token\""
        case .clientDenied:
            (status, title, proxyStatus) = (403, "Client not allowed", "http_request_denied")
            // After a CONNECT, many clients print only this phrase.
            advisingReason = "Not allowed for this user"
        case .loginRequired:
            (status, title, proxyStatus) = (407, "The proxy demands a password", "http_request_denied")
            // The password file is UTF-8, and so must be what the client sends (RFC 7617 section 2.1).
            proxyChallenge = "Basic realm=\"attache\", charset=\"UTF-8\""
        case .destinationDenied:
            (status, title, proxyStatus) = (403, "Destination not allowed", "http_request_denied")
        case .plaintextDenied:
            (status, title, proxyStatus) = (403, "Plaintext not allowed for https://", "http_request_denied")
        case .connectDenied(let advice):
            (status, title, proxyStatus) = (403, "CONNECT not allowed", "http_request_denied")
            advisingReason = advice.reason
        case .traceDenied:
            (status, title, proxyStatus) = (403, "TRACE not allowed", "http_request_denied")
        case .tunnelHostMismatch:
            (status, title, proxyStatus) = (400, "Host differs from its tunnel", "http_request_error")
        // The client gets a TLS alert instead; the access log shows the error.
        case .tlsInTunnel: (status, title, proxyStatus) = (400, "TLS inside a plain tunnel", "http_request_error")
        case .requestHeadTimeout, .requestBodyTimeout:
            (status, title, proxyStatus) = (408, "The request did not arrive in time", "http_request_error")
        case .responseNotRead:
            (status, title, proxyStatus) = (408, "The response was not read in time", "http_request_error")
        // Nobody reads this response; the access log shows the error.
        case .clientGone: (status, title, proxyStatus) = (400, "The client is gone", "http_request_error")
        // No response can follow inside a tunnel; the access log shows the error.
        case .tunnelIdle, .tunnelTimeout:
            (status, title, proxyStatus) = (504, "The tunnel was cut", "connection_terminated")
        case .tooManyConnections, .outOfDescriptors:
            (status, title, proxyStatus) = (503, "Overloaded", "connection_limit_reached")
        case .shutdown: (status, title, proxyStatus) = (503, "Shutting down", "proxy_internal_response")
        case .tooManyLookups: (status, title, proxyStatus) = (503, "Overloaded", "dns_error")
        case .credentialUnavailable:
            (status, title, proxyStatus) = (503, "No credential", "proxy_internal_response")
        case .credentialTimeout:
            (status, title, proxyStatus) = (503, "No credential in time", "proxy_internal_response")
        case .nameNotResolved: (status, title, proxyStatus) = (502, "Backend not found", "dns_error")
        case .addressForbidden:
            (status, title, proxyStatus) = (403, "Destination address not allowed", "destination_ip_prohibited")
            advisingReason = "Destination address not allowed"
        case .loop: (status, title, proxyStatus) = (508, "The request would come back", "proxy_loop_detected")
        case .connectionRefused: (status, title, proxyStatus) = (502, "Backend refused", "connection_refused")
        case .connectionTimeout: (status, title, proxyStatus) = (504, "Backend not reached", "connection_timeout")
        case .connectionFailed:
            (status, title, proxyStatus) = (502, "Backend not reached", "destination_unavailable")
        case .connectionTerminated:
            (status, title, proxyStatus) = (502, "Backend gave no response", "connection_terminated")
        case .upstreamProxyRefused:
            (status, title, proxyStatus) = (502, "Parent proxy refused", "destination_unavailable")
        case .certificateRefused:
            (status, title, proxyStatus) = (502, "Backend not trusted", "tls_certificate_error")
        case .tlsFailed: (status, title, proxyStatus) = (502, "No TLS with the backend", "tls_protocol_error")
        case .malformedResponse:
            (status, title, proxyStatus) = (502, "Backend's response is not HTTP", "http_protocol_error")
        case .responseTimeout:
            (status, title, proxyStatus) = (504, "Backend did not answer in time", "http_response_timeout")
        }
        if error.concernsParent { title = Self.parentTitle(error.kind) ?? title }
    }

    /// The title if the parent proxy failed, and not the backend; nil if the usual one names neither.
    private static func parentTitle(_ kind: ProxyError.Kind) -> StaticString? {
        switch kind {
        case .nameNotResolved: "Parent proxy not found"
        case .connectionRefused: "Parent proxy refused the connection"
        case .connectionTimeout, .connectionFailed: "Parent proxy not reached"
        case .connectionTerminated: "Parent proxy gave no response"
        default: nil
        }
    }

    /// Appends the whole response; it has a body unless the request was a HEAD.
    package func append(to out: inout OutputBuffer, isHead: Bool, closes: Bool) {
        let body = Array(problem.utf8)
        out.append(text: "HTTP/1.1 ")
        out.append(decimal: status)
        out.append(UInt8(ascii: " "))
        out.append(text: advisingReason ?? ReasonPhrase.of(status))
        out.append(text: "\r\nContent-Type: application/problem+json\r\nContent-Length: ")
        out.append(decimal: body.count)
        out.append(text: "\r\nProxy-Status: attache; error=")
        out.append(text: proxyStatus)
        out.append(text: "; details=\"")
        out.append(copying: Array(StructuredFieldText.string(error.detail).utf8).span)
        out.append(text: "\"\r\nCache-Control: no-store\r\n")
        if let challenge {
            out.append(text: "WWW-Authenticate: ")
            out.append(text: challenge)
            out.append(text: "\r\n")
        }
        if let proxyChallenge {
            out.append(text: "Proxy-Authenticate: ")
            out.append(text: proxyChallenge)
            out.append(text: "\r\n")
        }
        if let retryAfter = error.retryAfter {
            out.append(text: "Retry-After: ")
            out.append(decimal: retryAfter)
            out.append(text: "\r\n")
        }
        if closes { out.append(text: "Connection: close\r\n") }
        out.append(text: "\r\n")
        if !isHead { out.append(copying: body.span) }
    }

    /// The body; its `type` is the page and heading that explain the error (RFC 9457 section 3.1.1).
    private var problem: String {
        """
        {"type":"Troubleshooting.md#\(error.code)","title":\(JSONText.quoted("\(title)")),"status":\(status),\
        "detail":\(JSONText.quoted(error.detail))}

        """
    }
}

/// Text made safe to stand inside a structured field.
package enum StructuredFieldText {
    /// The inside of a string of RFC 9651 section 3.3.3: printable ASCII, anything else as a question mark.
    package static func string(_ text: String) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case " "..."~": out.unicodeScalars.append(scalar)
            default: out += "?"
            }
        }
        return out
    }
}

/// What a client that sent CONNECT has to change, judged by the port that it named.
///
/// Many clients print only the reason phrase of a refused CONNECT, so the advice is in that phrase too.
package enum ConnectAdvice: Equatable, Sendable {
    /// The client asked for an `https://` URL.
    case askForHTTP
    /// The client asked for an `http://` URL already, but opens a tunnel for it.
    case doNotTunnel
    /// The port does not tell whether the client asked for `http://` or `https://`.
    case askForHTTPWithoutTunnel
    /// No route takes the host, so a request without CONNECT would be refused too.
    case addRoute
    /// The operator forbids the destination.
    case goElsewhere

    package init(port: UInt16) {
        switch port {
        case 443: self = .askForHTTP
        case 80: self = .doNotTunnel
        default: self = .askForHTTPWithoutTunnel
        }
    }

    /// The reason phrase: short, and only of bytes that RFC 9112 section 4 allows.
    var reason: StaticString {
        switch self {
        case .askForHTTP: "Ask for http:// not https://"
        case .doNotTunnel: "Send http:// without CONNECT"
        case .askForHTTPWithoutTunnel: "Ask for http:// without CONNECT"
        case .addRoute: "No route for this host"
        case .goElsewhere: "Forbidden by connect.deny"
        }
    }
}

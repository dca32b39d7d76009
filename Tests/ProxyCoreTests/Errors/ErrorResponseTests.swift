import HTTPWire
import ProxyCore
import Support
import Testing
import TokenManager

@Suite struct ErrorResponseTests {
    /// One kind of error with the status and the error type (RFC 9209 section 2.3) that it is told by.
    struct Case: Sendable, CustomTestStringConvertible {
        let kind: ProxyError.Kind
        let status: Int
        let proxyStatus: String
        let source: ProxyError.Source

        init(_ kind: ProxyError.Kind, _ status: Int, _ proxyStatus: String, _ source: ProxyError.Source) {
            (self.kind, self.status, self.proxyStatus, self.source) = (kind, status, proxyStatus, source)
        }

        var testDescription: String { "\(kind)" }
    }

    static let cases =
        [
            Case(.ambiguousCredential, 400, "http_request_error", .downstream),
            Case(.responseNotRead, 408, "http_request_error", .downstream),
            Case(.parameterUnusable, 400, "http_request_error", .downstream),
            Case(.subjectMissing, 401, "http_request_denied", .downstream),
            Case(.subjectRefused, 401, "http_request_denied", .downstream),
            Case(.notForAProxy, 400, "http_request_error", .downstream),
            Case(.notForAGateway, 400, "http_request_error", .downstream),
            Case(.hostDenied, 421, "http_request_denied", .downstream),
            Case(.originDenied, 403, "http_request_denied", .downstream),
            Case(.loginRequired, 407, "http_request_denied", .downstream),
            Case(.clientDenied, 403, "http_request_denied", .downstream),
            Case(.destinationDenied, 403, "http_request_denied", .downstream),
            Case(.plaintextDenied, 403, "http_request_denied", .downstream),
            Case(.connectDenied(ConnectAdvice(port: 443)), 403, "http_request_denied", .downstream),
            Case(.connectDenied(ConnectAdvice(port: 80)), 403, "http_request_denied", .downstream),
            Case(.connectDenied(ConnectAdvice(port: 8443)), 403, "http_request_denied", .downstream),
            Case(.connectDenied(.addRoute), 403, "http_request_denied", .downstream),
            Case(.connectDenied(.goElsewhere), 403, "http_request_denied", .downstream),
            Case(.traceDenied, 403, "http_request_denied", .downstream),
            Case(.tunnelHostMismatch, 400, "http_request_error", .downstream),
            Case(.tlsInTunnel, 400, "http_request_error", .downstream),
            Case(.tunnelIdle, 504, "connection_terminated", .internal),
            Case(.tunnelTimeout, 504, "connection_terminated", .internal),
            Case(.clientGone, 400, "http_request_error", .downstream),
            Case(.requestHeadTimeout, 408, "http_request_error", .downstream),
            Case(.requestBodyTimeout, 408, "http_request_error", .downstream),
            Case(.tooManyConnections, 503, "connection_limit_reached", .internal),
            Case(.outOfDescriptors, 503, "connection_limit_reached", .internal),
            Case(.credentialUnavailable, 503, "proxy_internal_response", .credential),
            Case(.credentialTimeout, 503, "proxy_internal_response", .credential),
            Case(.tooManyLookups, 503, "dns_error", .internal),
            Case(.nameNotResolved, 502, "dns_error", .upstream),
            Case(.addressForbidden, 403, "destination_ip_prohibited", .upstream),
            Case(.loop, 508, "proxy_loop_detected", .upstream),
            Case(.connectionRefused, 502, "connection_refused", .upstream),
            Case(.connectionTimeout, 504, "connection_timeout", .upstream),
            Case(.connectionFailed, 502, "destination_unavailable", .upstream),
            Case(.connectionTerminated, 502, "connection_terminated", .upstream),
            Case(.upstreamProxyRefused, 502, "destination_unavailable", .upstream),
            Case(.certificateRefused, 502, "tls_certificate_error", .upstream),
            Case(.tlsFailed, 502, "tls_protocol_error", .upstream),
            Case(.malformedResponse, 502, "http_protocol_error", .upstream),
            Case(.responseTimeout, 504, "http_response_timeout", .upstream),
        ]
        + MessageError.allCases.map { Case(.malformedRequest($0), $0.status, "http_request_error", .downstream) }

    @Test("Every error has a status, a Proxy-Status and a problem that agree", arguments: cases)
    func answer(_ expected: Case) throws {
        let detail = "It failed at https://b.example:443 \"now\"; try again"
        let error = ProxyError(expected.kind, detail)
        let answer = try OwnAnswer(error)
        #expect(ErrorResponse(error).status == expected.status)
        #expect(answer.status == expected.status)
        #expect(error.source == expected.source)
        let status = try #require(StructuredField(answer.fields["proxy-status"] ?? ""))
        #expect(status.token == "attache")
        #expect(status.parameters == ["error": expected.proxyStatus, "details": detail])
        let problem = try answer.problem
        #expect(problem.type == "Troubleshooting.md#\(error.code)")
        #expect(problem.status == expected.status)
        #expect(problem.detail == detail)
        #expect(!problem.title.isEmpty)
        #expect(answer.framing == .length(UInt64(answer.body.utf8.count)))
        #expect(answer.fields["content-type"] == "application/problem+json")
        #expect(answer.fields["cache-control"] == "no-store")
        #expect(answer.fields["retry-after"] == nil)
        #expect(answer.isPersistent)
    }

    @Test(
        "The title names the parent proxy if that failed",
        arguments: [
            (.nameNotResolved, "Parent proxy not found"), (.connectionRefused, "Parent proxy refused the connection"),
            (.connectionTimeout, "Parent proxy not reached"), (.connectionFailed, "Parent proxy not reached"),
            (.connectionTerminated, "Parent proxy gave no response"), (.outOfDescriptors, "Overloaded"),
        ] as [(ProxyError.Kind, String)])
    func parent(_ kind: ProxyError.Kind, _ title: String) throws {
        #expect(try OwnAnswer(ProxyError(kind, "x", concernsParent: true)).problem.title == title)
        #expect(try !OwnAnswer(ProxyError(kind, "x")).problem.title.contains("arent proxy"))
    }

    @Test("Every error has a heading on the page Troubleshooting", arguments: cases)
    func documented(_ expected: Case) throws {
        let page = try #require(DocumentationPage.all.first { $0.name == "Troubleshooting" })
        #expect(page.lines.contains("### \(ProxyError(expected.kind, "x").code)"))
    }

    @Test("Every failure of a token fetch has a heading on that page too", arguments: tokenFailures)
    func documented(_ kind: TokenError.Kind) throws {
        let page = try #require(DocumentationPage.all.first { $0.name == "Troubleshooting" })
        #expect(page.lines.contains("### \(TokenError(kind: kind, message: "x").code)"))
    }

    @Test("Every heading is the code of an error or a finding")
    func headings() throws {
        let page = try #require(DocumentationPage.all.first { $0.name == "Troubleshooting" })
        let codes = Set(
            Self.cases.map { "\(ProxyError($0.kind, "x").code)" }
                + Self.tokenFailures.map { TokenError(kind: $0, message: "x").code }
                + FindingCode.allCases.map(\.rawValue))
        for line in page.lines where line.hasPrefix("### ") {
            #expect(codes.contains(String(line.dropFirst(4))), "\(line)")
        }
    }

    private static let tokenFailures: [TokenError.Kind] = [
        .unknownCredential, .invalidConfiguration, .secretUnreadable, .secretUnwritable, .unusableValue, .tokenExpired,
        .invalidParameter, .subjectTokenUnusable, .tooManyFetches, .tokenServerUnreachable,
        .tokenServerLeadsBack, .tokenServerRefused(status: 400, oauthError: nil), .badTokenResponse, .badMetadata,
        .cancelled, .stopped,
    ]

    @Test("Every status that Attaché sends has a reason phrase", arguments: cases)
    func reason(_ expected: Case) {
        var out = OutputBuffer()
        ErrorResponse(ProxyError(expected.kind, "x")).append(to: &out, isHead: false, closes: false)
        #expect(out.text.hasPrefix("HTTP/1.1 \(expected.status) "))
        #expect(!out.text.hasPrefix("HTTP/1.1 \(expected.status) Error\r\n"))
    }

    @Test("A HEAD gets the same head and no body", arguments: cases)
    func head(_ expected: Case) throws {
        let error = ProxyError(expected.kind, "x", retryAfter: 4)
        let (whole, alone) = (try OwnAnswer(error), try OwnAnswer(error, isHead: true))
        #expect(alone.body.isEmpty)
        #expect(alone.fields == whole.fields)
        #expect(alone.fields["content-length"] == "\(whole.body.utf8.count)")
    }

    @Test("The time of the next attempt is given in seconds", arguments: [0, 1, 7, 86_400])
    func retryAfter(_ seconds: Int) throws {
        let answer = try OwnAnswer(ProxyError(.credentialUnavailable, "x", retryAfter: seconds))
        #expect(answer.fields["retry-after"] == "\(seconds)")
    }

    @Test("A response says whether the connection closes after it")
    func closes() throws {
        let error = ProxyError(.requestBodyTimeout, "x")
        #expect(try !OwnAnswer(error, closes: true).isPersistent)
        #expect(try OwnAnswer(error, closes: true).fields["connection"] == "close")
        #expect(try OwnAnswer(error, closes: false).fields["connection"] == nil)
    }

    @Test(
        "No text can end its field or its string early",
        arguments: [
            "\"", "\\", "\\\"", "\"; error=none; x=\"", "\r\nSet-Cookie: a=b", "\r\n\r\n<html>", "\n", "\r", "\0",
            "\u{7f}\u{1}\u{1f}", "\t", "na\u{ef}ve \u{1f600}", "\"\u{301}", "\\\u{301}\u{200d}", "\u{2028}\u{2029}",
            "\u{85}\u{a0}", "\",\"status\":200,\"x\":\"", "{}[]", "", String(repeating: "\"\\\r\n", count: 5000),
            "\u{feff}\u{fffd}\u{10ffff}",
        ])
    func hostile(_ detail: String) throws {
        for kind in [ProxyError.Kind.connectionFailed, .destinationDenied] {
            let answer = try OwnAnswer(ProxyError(kind, detail))
            let problem = try answer.problem
            #expect(problem.detail.unicodeScalars.elementsEqual(detail.unicodeScalars))
            #expect(problem.status == answer.status)
            let status = try #require(StructuredField(answer.fields["proxy-status"] ?? ""))
            #expect(status.parameters.count == 2)
            let readable = detail.unicodeScalars.map { (" "..."~").contains($0) ? Character($0) : "?" }
            #expect(status.parameters["details"] == String(readable))
            #expect(Set(answer.fields.keys) == ["content-type", "content-length", "proxy-status", "cache-control"])
        }
    }

    @Test("A response is appended to the buffer's content")
    func appended() {
        var out = OutputBuffer()
        out.append(text: "before")
        ErrorResponse(ProxyError(.notForAProxy, "x")).append(to: &out, isHead: true, closes: false)
        #expect(out.text.hasPrefix("beforeHTTP/1.1 400 Bad Request\r\n"))
    }
}

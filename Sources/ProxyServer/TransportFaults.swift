import EventTransport
import HTTPWire
import ProxyCore

extension ProxyError {
    /// The error of a backend that could not be reached.
    init(_ error: TransportError, reaching name: String) {
        let kind: Kind =
            switch error.kind {
            case .resolution: .nameNotResolved
            case .refused: .connectionRefused
            case .unreachable, .system, .permission, .addressInUse: .connectionFailed
            case .reset, .truncated: .connectionTerminated
            case .timedOut: .connectionTimeout
            case .tlsHandshake, .tlsConfiguration: .tlsFailed
            case .tlsVerification: .certificateRefused
            case .tooManyLookups: .tooManyLookups
            case .descriptorLimit: .outOfDescriptors
            case .forbiddenAddress: .addressForbidden
            case .ownListener: .loop
            case .parentRefused: .upstreamProxyRefused
            }
        let isOverloaded = kind == .outOfDescriptors || kind == .tooManyLookups
        let advice = (error.concernsParent ? Self.parentAdvice(kind) : Self.advice(kind)).map { "; \($0)" } ?? ""
        self.init(
            kind, "\(error.message)\(advice)", retryAfter: isOverloaded ? 1 : nil, concernsParent: error.concernsParent)
    }

    /// What to do about a parent proxy that cannot be reached.
    private static func parentAdvice(_ kind: Kind) -> String? {
        switch kind {
        case .connectionRefused, .connectionFailed: "check upstreamProxy, and whether that proxy runs"
        case .connectionTimeout: "check that the proxy can be reached, or raise limits.connectTimeout"
        default: nil
        }
    }

    /// What to do about a failure whose message from the transport does not say it.
    private static func advice(_ kind: Kind) -> String? {
        switch kind {
        case .connectionRefused: "check the port, and whether the backend runs"
        case .connectionFailed: "check the backend's address and the network to it"
        case .connectionTimeout:
            "check that the backend can be reached, or raise limits.connectTimeout"
        default: nil
        }
    }
}

extension MessageError {
    /// The reason of a refused request, and what to do about it.
    func advice(_ limits: Limits, isForGateway: Bool = false) -> String {
        switch self {
        case .tooManyFields, .headTooLarge, .targetTooLong: "\(detail(limits)) Send less, or raise the limit."
        case .tlsInsteadOfHTTP where isForGateway:
            "\(reason) Let the app's base URL for this gateway begin with http://, not https://."
        case .tlsInsteadOfHTTP: "\(reason) Set the proxy's URL to http:// in the client."
        default: "\(reason) Correct the client that sent it."
        }
    }

    /// The reason, with the limit and its value if the message exceeds one.
    func detail(_ limits: Limits) -> String {
        switch self {
        case .tooManyFields: "\(reason) It is \(limits.fieldCount) (limits.fieldCount)."
        case .headTooLarge, .targetTooLong: "\(reason) It is \(limits.headBytes) bytes (limits.headBytes)."
        default: reason
        }
    }
}

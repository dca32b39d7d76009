import EventTransport
import ProxyCore

extension ProxyError {
    /// Why a backend could not be reached.
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
            }
        let isOverloaded = kind == .outOfDescriptors || kind == .tooManyLookups
        self.init(kind, error.message, retryAfter: isOverloaded ? 1 : nil)
    }
}

import HTTPWire
import ProxyCore

extension MessageError {
    /// The reason of a refused request, and what to do about it.
    func advice(_ limits: Limits) -> String {
        switch self {
        case .tooManyFields, .headTooLarge, .targetTooLong: "\(detail(limits)) Send less, or raise the limit."
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

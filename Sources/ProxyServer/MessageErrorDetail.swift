import HTTPWire
import ProxyCore

extension MessageError {
    /// The reason, with the setting and its value where a limit was met.
    func detail(_ limits: Limits) -> String {
        switch self {
        case .tooManyFields: "\(reason) It is \(limits.fieldCount) (limits.fieldCount)."
        case .headTooLarge, .targetTooLong: "\(reason) It is \(limits.headBytes) bytes (limits.headBytes)."
        default: reason
        }
    }
}

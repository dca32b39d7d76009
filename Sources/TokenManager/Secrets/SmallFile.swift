import Signing

/// Reads a small regular file, for modules that make no system calls of their own.
///
/// It reads at most one byte more than the limit, and never waits for a pipe or a device.
package enum SmallFile {
    /// Why a file could not be read.
    package enum Problem: Error, Equatable, Sendable {
        case missing
        case forbidden
        case notRegular
        case tooLarge
        case unreadable
    }

    /// The whole content; refuses a file with more than `limit` bytes.
    package static func read(_ path: String, atMost limit: Int) throws(Problem) -> [UInt8] {
        do throws(SecretFile.Problem) {
            return try SecretFile.read(path, atMost: limit)
        } catch {
            switch error {
            case .missing: throw .missing
            case .forbidden: throw .forbidden
            case .notRegular: throw .notRegular
            case .tooLarge: throw .tooLarge
            case .system: throw .unreadable
            }
        }
    }
}

private import FoundationEssentials
import TokenManager

/// Reads the files of the system; relative paths start at the working directory.
package struct SystemFileReader: FileReader {
    package init() {}

    package func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        // A device may notice that it is opened, and a pipe has no end, so only a regular file is opened.
        switch Self.attributes(of: path)?[.type] as? FileAttributeType {
        case FileAttributeType.typeDirectory?: throw FileError("is a folder, not a file")
        // Links are resolved, so this one has no target.
        case FileAttributeType.typeRegular?, FileAttributeType.typeSymbolicLink?, nil: break
        default: throw FileError("is not a regular file")
        }
        do throws(SmallFile.Problem) {
            return try SmallFile.read(path, atMost: limit)
        } catch {
            switch error {
            case .missing: throw FileError("no such file")
            case .forbidden: throw FileError("permission denied")
            case .notRegular: throw FileError("is not a regular file")
            case .tooLarge: throw FileError("is larger than \(SizeText.format(limit))")
            case .unreadable: throw FileError("cannot be read")
            }
        }
    }

    package func identity(of path: String) -> String {
        let attributes = Self.attributes(of: path)
        guard let device = attributes?[.systemNumber], let number = attributes?[.systemFileNumber] else {
            return Self.resolved(path)
        }
        return "\(device):\(number)"
    }

    package func isFolder(_ path: String) -> Bool {
        Self.attributes(of: path)?[.type] as? FileAttributeType == .typeDirectory
    }

    package func mayReplace(_ path: String) -> Bool {
        let folder = URL(filePath: path).resolvingSymlinksInPath().deletingLastPathComponent()
        return FileManager.default.isWritableFile(atPath: folder.path(percentEncoded: false))
    }

    /// The attributes of the file behind all links, because mounted secrets are links.
    private static func attributes(of path: String) -> [FileAttributeKey: Any]? {
        try? FileManager.default.attributesOfItem(atPath: resolved(path))
    }

    /// `URL.path()` would encode spaces, signs and letters that are not ASCII.
    private static func resolved(_ path: String) -> String {
        URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
    }
}

/// The file system for the configuration; tests pass their own.
package protocol FileReader: Sendable {
    /// The bytes of a file; refuses one with more than `limit` bytes.
    func read(_ path: String, limit: Int) throws(FileError) -> [UInt8]
    /// A text that is equal for two paths to one file, whatever links they go through.
    func identity(of path: String) -> String
    func isFolder(_ path: String) -> Bool
    /// Whether the process may replace a file.
    func mayReplace(_ path: String) -> Bool
}

/// Why a file could not be read, in a few words such as "no such file".
///
/// It contains no part of the file.
package struct FileError: Error, Equatable, Sendable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}

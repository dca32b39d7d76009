private import FoundationEssentials

/// Reads the files of the system; relative paths start at the working directory.
package struct SystemFileReader: FileReader {
    package init() {}

    package func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        // The link's target counts, because mounted secrets are links.
        let url = URL(filePath: path).resolvingSymlinksInPath()
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path())
        let type = attributes?[.type] as? FileAttributeType
        switch type {
        case FileAttributeType.typeDirectory?: throw FileError("is a folder, not a file")
        // Links are resolved above, so this one has no target.
        case FileAttributeType.typeRegular?, FileAttributeType.typeSymbolicLink?, nil: break
        default: throw FileError("is not a regular file")
        }
        if type == .typeRegular, let size = attributes?[.size] as? UInt64, size > UInt64(limit) {
            throw Self.tooLarge(limit)
        }
        let bytes: [UInt8]
        do {
            bytes = [UInt8](try Data(contentsOf: url))
        } catch {
            throw Self.reason(error)
        }
        guard bytes.count <= limit else { throw Self.tooLarge(limit) }
        return bytes
    }

    package func identity(of path: String) -> String {
        let resolved = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        let attributes = try? FileManager.default.attributesOfItem(atPath: resolved)
        guard let device = attributes?[.systemNumber], let number = attributes?[.systemFileNumber] else {
            return resolved
        }
        return "\(device):\(number)"
    }

    package func isFolder(_ path: String) -> Bool {
        let url = URL(filePath: path).resolvingSymlinksInPath()
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path())
        return attributes?[.type] as? FileAttributeType == .typeDirectory
    }

    package func mayReplace(_ path: String) -> Bool {
        let folder = URL(filePath: path).resolvingSymlinksInPath().deletingLastPathComponent()
        return FileManager.default.isWritableFile(atPath: folder.path(percentEncoded: false))
    }

    private static func tooLarge(_ limit: Int) -> FileError { FileError("is larger than \(SizeText.format(limit))") }

    private static func reason(_ error: any Error) -> FileError {
        switch (error as? CocoaError)?.code {
        case CocoaError.fileReadNoSuchFile?, CocoaError.fileNoSuchFile?: FileError("no such file")
        case CocoaError.fileReadNoPermission?: FileError("permission denied")
        default: FileError("cannot be read")
        }
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

/// Why a file could not be read, in a few words such as "no such file".
///
/// It contains no part of the file.
package struct FileError: Error, Equatable, Sendable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}

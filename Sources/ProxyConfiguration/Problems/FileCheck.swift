import ProxyCore

/// A check of a file that a setting names, which the load makes, and a running process again, because files change without
/// a reload.
///
/// It knows no content of the file, and no secret.
package struct FileCheck: Sendable {
    /// Why the file deserves the warning; nil if it does not.
    typealias Look = @Sendable (any FileReader) throws(FileError) -> String?

    private let code: FindingCode
    private let place: Place
    private let look: Look
    /// The warning; nil if the last look found nothing.
    package private(set) var warning: Problem?

    /// Looks for the first time; an unreadable file deserves no warning of this kind.
    init(_ code: FindingCode, _ place: Place, _ files: any FileReader, _ look: @escaping Look) {
        precondition(code.isOfFileContent, "a check of a file has a code that is not one of files")
        self.code = code
        self.place = place
        self.look = look
        lookAgain(files)
    }

    /// Looks again; if the file is unreadable, the warning stays as it was.
    package mutating func lookAgain(_ files: any FileReader) {
        do throws(FileError) {
            warning = try look(files).map { place.problem($0, code: code) }
        } catch {
            return
        }
    }
}

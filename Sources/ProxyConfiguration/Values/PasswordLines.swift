/// The users of a password file: a line `user:password` for each password.
///
/// Empty lines, lines that begin with `#`, and a byte order mark at the start are skipped. A user may have several lines, so that a password can be
/// replaced without an interruption. No description shows a password.
package struct PasswordLines: Sendable, CustomStringConvertible {
    /// The largest file that is read, in bytes.
    package static let byteLimit = 65_536

    /// Why a file is unusable; quotes nothing of it.
    package struct Problem: Error, Equatable, Sendable {
        package let message: String
    }

    /// The name of each line's user; at least one.
    package private(set) var users: [String] = []
    /// Each line as `user:password`, without its line break.
    package private(set) var credentials: [[UInt8]] = []

    package var description: String { "PasswordLines(\(users.count) lines)" }

    package init(_ text: [UInt8]) throws(Problem) {
        let text = text.starts(with: Self.byteOrderMark) ? text.dropFirst(Self.byteOrderMark.count) : text[...]
        for (index, line) in text.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
            let line = line.last == 0x0d ? line.dropLast() : line
            guard let first = line.first, first != UInt8(ascii: "#") else { continue }
            try add(line, number: index + 1)
        }
        guard !users.isEmpty else { throw Problem(message: "has no line user:password; add one for each user") }
    }

    private mutating func add(_ line: ArraySlice<UInt8>, number: Int) throws(Problem) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
            throw Problem(message: "has no user and colon in line \(number); write user:password")
        }
        guard let user = String(validating: line[..<colon], as: UTF8.self),
            line.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
        else {
            throw Problem(
                message: "has a character in line \(number) that no user or password may have; write plain text")
        }
        let password = line[(colon + 1)...]
        guard !password.isEmpty else {
            throw Problem(message: "has no password in line \(number); write user:password")
        }
        guard !Self.hashMarks.contains(where: { password.starts(with: $0.utf8) }) else {
            throw Problem(
                message: "has a hash of a password in line \(number), as htpasswd writes it; write the password itself")
        }
        users.append(user)
        credentials.append(Array(line))
    }

    /// Some editors write it at the start of a file in UTF-8.
    private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

    private static let hashMarks = ["$apr1$", "$2y$", "$2a$", "$2b$", "$5$", "$6$", "$y$", "{SHA}", "{SSHA}"]
}

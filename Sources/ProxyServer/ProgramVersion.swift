import EventTransport

/// The program's version, for a person, the log and the metrics.
package enum ProgramVersion {
    package static let number = "0.1.0"

    static let build = BuildIdentity(version: number)

    /// What `attache version` prints: the program's version, then what it is made of, one part a line.
    package static var lines: [String] {
        ["attache \(number)"] + build.parts.dropFirst().map { "\($0.name) \($0.version)" }
    }
}

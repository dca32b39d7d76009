import EventTransport

/// The program's version, for a person, the log and the metrics.
package enum ProgramVersion {
    package static let number = "0.1.0"

    static let build = BuildIdentity(version: number)

    /// The lines of `attache version`: the program's version, its commit, and the versions of its libraries.
    package static var lines: [String] {
        ["attache \(number)"] + build.parts.dropFirst().map { "\($0.name) \($0.version)" }
    }
}

import Support
import Testing

@testable import EventTransport

@Suite("Certificate authorities in a file that changes")
struct ChangingAuthoritiesTests {
    private static let certificates = TestCertificates.shared

    private let directory: TemporaryDirectory
    private let file: String

    init() throws {
        directory = try TemporaryDirectory()
        file = directory.file("ca.pem")
    }

    private func hold(_ text: String) throws { try directory.write(text, to: "ca.pem") }

    @Test func `The newest usable authorities are trusted, and each reason against newer ones is reported once`() throws
    {
        defer { directory.remove() }
        let (ours, others) = (
            TemporaryDirectory.read(Self.certificates.caFile), TemporaryDirectory.read(Self.certificates.otherCAFile)
        )
        try hold(ours)
        var changing = try ChangingAuthorities(TrustedAuthorities(file: file))
        let first = changing.newest
        #expect(changing.wasRead(.success(first)) == .none)
        for broken in ["", "canary-7", String(ours.dropLast(40)), ours + String(others.dropLast(40))] {
            try hold(broken)
            guard case .kept(let reason) = changing.wasRead(TrustedAuthorities.reading(file)) else {
                Issue.record("\(broken.count) bytes were taken")
                continue
            }
            #expect(reason.contains(file) && reason.contains("PEM file of certificates"), "\(reason)")
            #expect(!reason.contains("canary"))
            #expect(changing.wasRead(TrustedAuthorities.reading(file)) == .none)
            #expect(changing.newest == first)
            // As good as before: the next failure is news again.
            #expect(changing.wasRead(.success(first)) == .none)
        }
        try hold(ours + others)
        #expect(changing.wasRead(TrustedAuthorities.reading(file)) == .replaced)
        #expect(changing.wasRead(TrustedAuthorities.reading(file)) == .none)
        #expect(changing.newest != first)
    }

    @Test func `A missing file is reported with its path, and the old authorities stay in use`() throws {
        defer { directory.remove() }
        try hold(TemporaryDirectory.read(Self.certificates.caFile))
        var changing = try ChangingAuthorities(TrustedAuthorities(file: file))
        let missing = TrustedAuthorities.reading(directory.file("none.pem"))
        guard case .kept(let reason) = changing.wasRead(missing) else {
            Issue.record("nothing was reported")
            return
        }
        #expect(reason.contains("none.pem") && reason.contains("No such file"))
        #expect(changing.wasRead(missing) == .none)
    }
}

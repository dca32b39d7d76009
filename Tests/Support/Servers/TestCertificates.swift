import COpenSSL
import Glibc

/// Certificates for tests of TLS, made anew in every process, as PEM files that vanish with it.
package struct TestCertificates: Sendable {
    /// Made on first use; making them takes a few milliseconds.
    package static let shared = TestCertificates()

    /// A server's certificate and key.
    package struct Identity: Sendable {
        package let certificateFile: String
        package let keyFile: String
    }

    /// The authority that issued all but `unknown`.
    package let caFile: String
    /// The authority that issued `unknown`.
    package let otherCAFile: String
    /// For localhost, backend.test, *.wild.test, 127.0.0.1 and ::1.
    package let good: Identity
    /// For other.test.
    package let badHost: Identity
    /// For localhost and 127.0.0.1, until yesterday.
    package let expired: Identity
    /// For localhost and 127.0.0.1, by another authority.
    package let unknown: Identity
    /// With the common name localhost and no subjectAltName.
    package let commonNameOnly: Identity
    /// With the common name localhost and 192.0.2.1 as its only subjectAltName.
    package let commonNameAndAddress: Identity

    /// An intermediate authority below the one of `caFile`.
    package let intermediateCAFile: String
    /// For localhost and 127.0.0.1, by the intermediate authority.
    package let belowIntermediate: Identity

    private static let names = "DNS:localhost,DNS:backend.test,DNS:*.wild.test,IP:127.0.0.1,IP:::1"

    private init() {
        var template = Array("/tmp/attache-certificates-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { preconditionFailure("no directory for test certificates") }
        let directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress.unsafelyUnwrapped) }
        removeAtExit(directory)

        let authority = TestCertificateIssuer(name: "Attache test authority")
        let stranger = TestCertificateIssuer(name: "Another test authority")
        caFile = "\(directory)/ca.pem"
        otherCAFile = "\(directory)/other-ca.pem"
        authority.writeCertificate(to: caFile)
        stranger.writeCertificate(to: otherCAFile)

        func identity(
            _ name: String, by issuer: TestCertificateIssuer, for names: String?, days: Int,
            commonName: String = "Attache test server"
        ) -> Identity {
            let identity = Identity(
                certificateFile: "\(directory)/\(name).pem", keyFile: "\(directory)/\(name)-key.pem")
            issuer.issue(commonName: commonName, names: names, days: days, identity)
            return identity
        }
        good = identity("good", by: authority, for: Self.names, days: 2)
        badHost = identity("bad-host", by: authority, for: "DNS:other.test", days: 2)
        expired = identity("expired", by: authority, for: Self.names, days: -1)
        unknown = identity("unknown", by: stranger, for: Self.names, days: 2)
        let intermediate = TestCertificateIssuer(name: "Attache test intermediate", below: authority)
        intermediateCAFile = "\(directory)/intermediate-ca.pem"
        intermediate.writeCertificate(to: intermediateCAFile)
        belowIntermediate = identity("below-intermediate", by: intermediate, for: Self.names, days: 2)
        commonNameOnly = identity("common-name", by: authority, for: nil, days: 2, commonName: "localhost")
        commonNameAndAddress = identity(
            "common-name-address", by: authority, for: "IP:192.0.2.1", days: 2, commonName: "localhost")
    }
}

private nonisolated(unsafe) var directoryToRemove: UnsafeMutablePointer<CChar>?

private func removeAtExit(_ directory: String) {
    directoryToRemove = strdup(directory)
    atexit {
        guard let directory = directoryToRemove, let listing = opendir(directory) else { return }
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { unlink("\(String(cString: directory))/\(name)") }
        }
        closedir(listing)
        rmdir(directory)
    }
}

import Signing
import Support
import Testing

@Suite("Certificate chains")
struct CertificateChainTests {
    @Test func `A certificate has its validity period`() throws {
        let chain = try CertificateChain(pem: Array(SampleKey.rsaCertificate.rawValue.utf8))
        #expect(chain.commonName == "client-of-the-app")
        // 2026-11-22T07:51:20Z to 2126-10-29T07:51:20Z
        #expect(chain.validity?.notBefore == 1_795_333_880)
        #expect(chain.validity?.notAfter == 4_948_933_880)
    }

    @Test func `The holder's own certificate counts`() throws {
        let own = SampleKey.rsaCertificate.rawValue
        let issuer = TemporaryDirectory.read(TestCertificates.shared.caFile)
        let chain = try CertificateChain(pem: Array("\(own)\n\(issuer)".utf8))
        #expect(chain.certificates.count == 2)
        #expect(try chain.validity == CertificateChain(pem: Array(own.utf8)).validity)
    }

    @Test func `A text that is cut inside its second certificate is refused`() throws {
        let own = SampleKey.rsaCertificate.rawValue + "\n"
        let issuer = TemporaryDirectory.read(TestCertificates.shared.caFile)
        let lines = issuer.split(separator: "\n", omittingEmptySubsequences: false).count
        for kept in 1..<(lines - 2) {
            let beginning = issuer.split(separator: "\n").prefix(kept).joined(separator: "\n")
            #expect(throws: CertificateChain.Unreadable.self, "\(kept) lines") {
                _ = try CertificateChain(pem: Array((own + beginning + "\n").utf8))
            }
        }
        #expect(try CertificateChain(pem: Array((own + "# the end\n").utf8)).certificates.count == 1)
    }

    @Test func `A text without a certificate is refused`() {
        #expect(throws: CertificateChain.Unreadable.self) {
            _ = try CertificateChain(pem: Array(SampleKey.rsa.rawValue.utf8))
        }
    }
}

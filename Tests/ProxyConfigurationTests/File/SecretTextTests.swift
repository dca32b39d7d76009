import ProxyConfiguration
import Support
import Testing
import TokenManager

@Suite("The text of a secret: one line, or PEM")
struct SecretTextTests {
    private static func indented(_ pem: String) -> String {
        pem.split(separator: "\n").map { "          \($0)\n" }.joined()
    }

    private static func client(privateKey: String, more: String = "") -> String {
        """
        credentials:
          x:
            type: clientCredentials
            tokenUrl: https://i.example/t
            clientId: c
            clientAuthentication: privateKeyJwt
            clientAssertion:
              privateKey: \(privateKey)
        \(more)
        unmatched: forward

        """
    }

    private static func file(_ content: String) -> [String] {
        var files = FakeFiles.usual
        files.files["/content"] = Array(content.utf8)
        let text = """
            credentials:
              x: { type: ibmIam, apikey: { file: /content } }
            unmatched: forward
            """
        files.files["a.yaml"] = Array(text.utf8)
        var flags = Flags()
        flags.configurationFile = "a.yaml"
        do throws(ConfigurationError) {
            _ = try Configuration.load(flags: flags, environment: [:], files: files)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test("The configuration may hold a key and its certificate in PEM", arguments: ["|", "|-", "|+"])
    func inlinePEM(style: String) throws {
        let text = Self.client(
            privateKey: "\(style)\n\(Self.indented(SampleKey.rsa.rawValue))",
            more: "      certificate: \(style)\n\(Self.indented(SampleKey.rsaCertificate.rawValue))")
        let configuration = try load(text)
        guard case .clientCredentials(let client)? = configuration.credentials.first?.source,
            case .privateKeyJwt(.signed(let assertion)) = client.client.authentication,
            case .literal(let key) = assertion.privateKey, case .literal(let certificate)? = assertion.certificate
        else {
            Issue.record("no key was read")
            return
        }
        #expect(SigningKey.problem(pem: key, algorithm: nil) == nil)
        #expect(SigningKey.problem(certificate: certificate, key: key) == nil)
    }

    @Test(
        "A text that is not a key is refused, and no part of it is quoted",
        arguments: [
            ("|\n          hunter2\n          hunter3", "is not a private key in PEM"),
            ("|\n\(indented(SampleKey.rsaWithEvenModulus))", "is unusable: a signature with it fails"),
            ("\"hunter2\\0\"", "contains a control character"), ("\"\\n\\n\"", "is empty"),
            ("/rsa.pem", "is the path of a file and not the secret; write {file: path}"),
        ])
    func unusable(privateKey: String, problem: String) {
        let found = problems(Self.client(privateKey: privateKey))
        #expect(found.count == 1)
        #expect(found.first?.contains("credentials.x.clientAssertion.privateKey: \(problem)") == true, "\(found)")
        #expect(found.first?.contains("hunter") == false)
    }

    @Test(
        "A file holds one line, with or without a line break",
        arguments: [
            ("s3cret", nil), ("s3cret\n", nil), ("s3cret\r\n", nil), ("\n\n", "is empty"), ("\r\n\r\n", "is empty"),
            ("s3cret\n\n", "contains a second line"), ("s3cret\nother", "contains a second line"),
            ("s3cret\r", "contains a second line"), ("s3\tcret", "control character"),
        ] as [(String, String?)])
    func file(content: String, problem: String?) {
        let found = Self.file(content)
        guard let problem else {
            #expect(found == [])
            return
        }
        #expect(found.count == 1)
        #expect(found.first?.contains("credentials.x.apikey.file: the file") == true)
        #expect(found.first?.contains(problem) == true, "\(found)")
        #expect(found.first?.contains("s3") == false)
    }

    @Test func `A variable holds one line too`() {
        let text = "credentials:\n  x: { type: ibmIam, apikey: { env: KEY } }\nunmatched: forward\n"
        #expect(problems(text, environment: ["KEY": "s3cret\n"]) == [])
        #expect(problems(text, environment: ["KEY": "\n"]).first?.contains("is not set") == true)
        #expect(problems(text, environment: ["KEY": "a\nb"]).first?.contains("contains a second line") == true)
    }
}

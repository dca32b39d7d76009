import Testing
import TokenManager

/// Whatever stands in a request's field becomes this very value or a refusal: it is no setting.
@Suite struct ParameterBytesTests {
    enum Setting: CaseIterable {
        case appID
        case scope
        case audience
        case resource

        /// Punctuation that may stand there.
        var marks: String {
            switch self {
            case .appID: "-._~"
            case .scope: "!#$%&'()*+,-./:;<=>?@[]^_`{|}~"
            // A percent sign stands with two digits only.
            case .audience, .resource: "-._~:/?[]@!$&'()*+,;="
            }
        }

        func allows(_ value: String) -> Bool {
            (1...255).contains(value.utf8.count)
                && value.unicodeScalars.allSatisfy { scalar in
                    switch scalar {
                    case "a"..."z", "A"..."Z", "0"..."9": true
                    default: marks.unicodeScalars.contains(scalar)
                    }
                }
        }

        fileprivate var source: CredentialSource {
            get throws {
                let template = "x{header:X-Tenant}"
                guard self != .appID else {
                    return .mobileClientAccess(
                        MobileClientAccess(
                            serverURL: try TokenURL("https://idp.test"), appID: template,
                            authentication: .secret(clientID: "cid", .literal("s3cret"))))
                }
                var access = RequestedAccess()
                switch self {
                case .appID: break
                case .scope: access.scope = template
                case .audience: access.audience = template
                case .resource: access.resource = [template]
                }
                return .clientCredentials(
                    ClientCredentials(
                        endpoint: .url(try TokenURL("https://idp.test/token")),
                        client: OAuthClient(id: "cid", authentication: .basic(.literal("s3cret"))), access: access))
            }
        }

        /// What a token request that asks for a value holds.
        fileprivate func part(_ value: String) -> String {
            let value = value.utf8.map { Self.encoded($0) }.joined()
            return switch self {
            case .appID: "/apps/x\(value)/token"
            case .scope: "scope=x\(value)"
            case .audience: "audience=x\(value)"
            case .resource: "resource=x\(value)"
            }
        }

        private static func encoded(_ byte: UInt8) -> String {
            switch Unicode.Scalar(byte) {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": return String(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                return "%" + (digits.count < 2 ? "0" : "") + digits
            }
        }
    }

    static let values: [String] =
        (0...0xff).map { String(Unicode.Scalar(UInt8($0))) } + (0x21...0x7e).map { "a\(Unicode.Scalar(UInt8($0)))b" }
        + [
            "", "{}", "}{", "{{", "}}", "{host}", "{header:X-Tenant}", "{header:Cookie}", "{Host}", "..", ".",
            "\u{fffd}", "\u{1f600}", "a\r\nb", "\"}", String(repeating: "{", count: 255),
            String(repeating: "a", count: 255), String(repeating: "{", count: 256), String(repeating: "a", count: 8192),
        ]

    @Test("A value is sent unchanged, or refused as the request's error", arguments: Setting.allCases)
    func bytes(_ setting: Setting) throws {
        let simulation = Simulation([CredentialConfiguration(name: "a", source: try setting.source)])
        simulation.transport.script { .token("t\($0.number)", life: 1000) }
        try simulation.start()
        for value in Self.values {
            let count = simulation.transport.exchanges.count
            let outcome = simulation.ask(request: RequestParameters(fields: ["x-tenant": value]))
            guard setting.allows(value) else {
                #expect(outcome.error?.kind == .invalidParameter, "\(value.prefix(10).debugDescription)")
                #expect(simulation.transport.exchanges.count == count)
                continue
            }
            #expect(outcome.header?.value == "Bearer t\(count)", "\(value.prefix(10).debugDescription)")
            let exchange = try #require(simulation.transport.exchanges.last)
            let part = setting.part(value)
            let texts = [exchange.request.url.path, String(decoding: exchange.request.body, as: UTF8.self)]
            #expect(texts.contains { $0.hasSuffix(part) || $0.contains(part + "&") }, "\(texts) ask for \(part)")
        }
        #expect(try simulation.status()?.isReady == true)
    }
}

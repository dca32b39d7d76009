import Support
import Testing

/// What an app's field may make of a token request, byte by byte and on the wire.
@Suite("A field that says which token a request needs")
struct ParameterBytesTests {
    enum Setting: String, CaseIterable {
        case appId
        case scope
        case audience
        case resource

        var marks: String {
            switch self {
            case .appId: "-._~"
            case .scope: "!#$%&'()*+,-./:;<=>?@[]^_`{|}~"
            // A percent sign stands with two digits only.
            case .audience, .resource: "-._~:/?[]@!$&'()*+,;="
            }
        }

        func allows(_ value: [UInt8]) -> Bool {
            (1...255).contains(value.count)
                && value.allSatisfy { byte in
                    switch Unicode.Scalar(byte) {
                    case "a"..."z", "A"..."Z", "0"..."9": true
                    default: marks.utf8.contains(byte)
                    }
                }
        }

        var layout: Layout {
            let template = "'x{header:X-Tenant}'"
            guard self == .appId else { return Layout(credential: ["\(rawValue): \(template)"]) }
            let app =
                "app: { type: mobileClientAccess, serverUrl: \"{token}\", clientId: a, secret: b, appId: \(template) }"
            // The other credential waits until it is asked for, too.
            return Layout(route: ["credential: app"], credential: ["scope: '{host}'"], credentialsBefore: [app])
        }

        func part(_ value: [UInt8]) -> String {
            let text = value.map(Self.encoded).joined()
            return self == .appId ? "/apps/x\(text)/token" : "\(rawValue)=x\(text)"
        }

        private static func encoded(_ byte: UInt8) -> String {
            switch Unicode.Scalar(byte) {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": String(Unicode.Scalar(byte))
            default: "%" + String(byte, radix: 16, uppercase: true)
            }
        }
    }

    /// CR and LF are no part of a field.
    private static let values: [[UInt8]] =
        (0...0xff).filter { $0 != 0x0a && $0 != 0x0d }.map { [$0] }
        + ["", "a{b", "a}b", "}{", "{host}", "{header:Cookie}", "{header:X-Tenant}"].map { Array($0.utf8) }
        + [[UInt8](repeating: UInt8(ascii: "{"), count: 255), [UInt8](repeating: UInt8(ascii: "a"), count: 8192)]

    @Test("is sent unchanged or refused, whatever it contains", arguments: Setting.allCases)
    func bytes(_ setting: Setting) throws {
        try withScene(setting.layout) { scene in
            for value in Self.values {
                let client = try scene.client()
                defer { client.close() }
                let count = scene.tokens.requests.count
                let start = "GET \(scene.url)/ HTTP/1.1\r\nHost: a\r\nX-Tenant: "
                try client.send(Array(start.utf8) + value + Array("\r\n\r\n".utf8))
                let response = try client.response()
                guard setting.allows(value) else {
                    #expect(response.status == 400, "\(value.prefix(10))")
                    #expect(scene.tokens.requests.count == count)
                    continue
                }
                #expect(response.status == 200, "\(value.prefix(10)) \(response)")
                let request = try #require(scene.tokens.requests.last)
                let part = setting.part(value)
                #expect([request.target, request.text].contains { $0.hasSuffix(part) || $0.contains(part + "&") })
            }
            let page = try scene.proxy.admin("/readyz").text
            #expect(page.hasPrefix("ready\n"))
        }
    }
}

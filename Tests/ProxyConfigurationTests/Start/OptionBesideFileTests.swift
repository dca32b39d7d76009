import ProxyConfiguration
import Testing

@Suite("An option with a file that makes it useless")
struct OptionBesideFileTests {
    private static let file = "routes: [{ match: { host: a.example }, upstream: \"https://a.example\" }]\n"

    /// An option with what it counts for, and the key that stands for it in a file.
    struct Option: Sendable {
        let name: String
        let scope: String
        let key: String
        let switchOn: @Sendable (inout Flags) -> Void

        var variable: String { "ATTACHE_\(name.uppercased().replacing("-", with: "_"))" }
        var reason: String { "\(scope), and none is given; write \(key) in the file instead" }
    }

    static let options = [
        Option(
            name: "allow-plaintext", scope: "applies to --backend, --gateway, --token-url and a bound service",
            key: "allowPlaintext: true of the route or credential"
        ) { $0.allowPlaintext = true },
        Option(
            name: "allow-non-loopback", scope: "applies to --listen, --gateway and --admin",
            key: "allowNonLoopback: true of the listener"
        ) { $0.allowNonLoopback = true },
    ]

    @Test("is refused, on the command line and in the environment", arguments: options)
    func useless(option: Option) {
        var flags = Flags()
        option.switchOn(&flags)
        #expect(problems(Self.file, flags: flags) == ["--\(option.name): \(option.reason)"])
        #expect(problems(Self.file, environment: [option.variable: "1"]) == ["\(option.variable): \(option.reason)"])
        #expect(problems(Self.file, environment: [option.variable: "0"]) == [])
    }

    @Test("is accepted if another option uses it", arguments: options)
    func used(option: Option) {
        var flags = Flags()
        option.switchOn(&flags)
        flags.admin = option.name == "allow-plaintext" ? nil : "0.0.0.0:9901"
        flags.backends = option.name == "allow-plaintext" ? ["http://b.example"] : []
        flags.tokenFile = option.name == "allow-plaintext" ? "/token" : nil
        #expect(problems(Self.file, flags: flags) == [])
    }
}

import ProxyConfiguration
import Testing

@Suite struct CoreDumpPolicyTests {
    @Test(
        "Core dumps are allowed only if the command line or the environment says so",
        arguments: [
            (false, nil, false), (true, nil, true), (false, "true", true), (false, "1", true), (false, "false", false),
            (false, "", false), (true, "false", true),
        ])
    func allowed(_ flag: Bool, _ variable: String?, _ isAllowed: Bool) throws {
        var flags = Flags()
        flags.allowCoreDumps = flag
        let environment = variable.map { ["ATTACHE_ALLOW_CORE_DUMPS": $0] } ?? [:]
        #expect(try Configuration.allowsCoreDumps(flags: flags, environment: environment) == isAllowed)
    }

    @Test("A value that is not a boolean is an error")
    func noBoolean() {
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration.allowsCoreDumps(flags: Flags(), environment: ["ATTACHE_ALLOW_CORE_DUMPS": "yes"])
        }
        #expect(error?.description == "ATTACHE_ALLOW_CORE_DUMPS: is not a boolean; write true or false")
    }
}

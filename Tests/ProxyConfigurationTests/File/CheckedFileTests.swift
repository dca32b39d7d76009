import ProxyConfiguration
import Support
import Testing

@Suite("The output of check for a configuration file")
struct CheckedFileTests {
    /// One file a case: the configuration file `a.yaml`, a line of dashes, and what check prints for it.
    static let cases = GoldenFile.all(beside: #filePath)

    @Test("The cases are found")
    func found() { #expect(Self.cases.count > 100) }

    @Test("Every output equals the recorded one", arguments: cases)
    func text(_ file: GoldenFile) throws {
        let difference = try file.difference(from: Self.check(file.input))
        #expect(difference == nil, "\(difference ?? "")")
    }

    /// What `attache check a.yaml` prints, as one text.
    private static func check(_ text: String) -> String {
        do throws(ConfigurationError) {
            let configuration = try load(text, environment: ["SECRET": "env-secret", "EMPTY": ""])
            let summary = ConfigurationSummary(configuration)
            let verdict = summary.verdict(warnings: configuration.warnings.count, isStrict: false)
            return configuration.warnings.map { "\($0.warningText)\n" }.joined() + "\(verdict)\n\(summary)\n"
        } catch {
            return "\(error)\n"
        }
    }
}

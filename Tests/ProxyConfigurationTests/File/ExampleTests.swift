import FoundationEssentials
import ProxyConfiguration
import ProxyCore
import Support
import Testing

@Suite("The commented example of every key")
struct ExampleTests {
    /// `config/attache.yaml` of this package.
    static let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "config/attache.yaml").path()

    static func bytes() throws -> [UInt8] { try SystemFileReader().read(path, limit: 1_048_576) }

    @Test("It is valid as it stands")
    func inOrder() throws {
        var flags = Flags()
        flags.configurationFile = Self.path
        let configuration = try Configuration.load(flags: flags, environment: [:])
        #expect(configuration.routes.map(\.name) == ["cloudant", "*.internal.example"])
        #expect(
            configuration.warnings.allSatisfy {
                $0.message.contains("placeholder change-me") || $0.message.hasPrefix("no route uses it")
            })
    }

    @Test("The configuration for Cloudant is valid, and refreshes on the responses of CouchDB")
    func cloudant() throws {
        let path = Self.path.replacing("attache.yaml", with: "cloudant.yaml")
        let text = String(decoding: try SystemFileReader().read(path, limit: 1_048_576), as: UTF8.self)
        let configuration = try load(text.replacing("/run/secrets/cloudant-apikey", with: "/secret"))
        let route = try #require(configuration.routes.first)
        #expect(
            route.refreshOn
                == .conditions(
                    [RefusalCondition(status: 401)]
                        + ["Unknown kid", "Bad signature", "Bad HMAC"].map {
                            RefusalCondition(status: 400, evidence: .body(contains: $0))
                        }))
        #expect(route.timeouts == RouteTimeouts(response: .seconds(300), streamIdle: .seconds(300)))
        #expect(configuration.warnings == [])
    }

    @Test("Its settings are the defaults, so removing a line changes nothing")
    func defaults() throws {
        let configuration = try load(bytes: try Self.bytes())
        let plain = try load("unmatched: forward")
        #expect(configuration.limits == plain.limits)
        #expect(configuration.listeners == plain.listeners)
        #expect(configuration.shutdown == plain.shutdown)
        #expect(configuration.accessLog == plain.accessLog)
        #expect(configuration.workers == plain.workers)
        #expect(configuration.cacheSize == plain.cacheSize)
    }

    @Test("It mentions every known key", arguments: KnownKeys.all)
    func mentions(key: String) throws {
        let text = String(decoding: try Self.bytes(), as: UTF8.self)
        #expect(text.split { !$0.isLetter && !$0.isNumber }.contains { $0 == key })
    }

    @Test("However it is changed, it loads or every problem of the file has its place", arguments: 0..<20)
    func mutations(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let example = try Self.bytes()
        let original = Array(
            String(decoding: example, as: UTF8.self).replacing("change-me", with: SecrecyTests.canary).utf8)
        for _ in 0..<40 {
            let mutated = Mutation.apply(to: original, using: &random)
            do throws(ConfigurationError) {
                _ = try load(bytes: mutated)
            } catch {
                #expect(!error.problems.isEmpty)
                for problem in error.problems where problem.path != "routes" {
                    #expect(problem.file == "a.yaml")
                    #expect((problem.line ?? 0) >= 1 && (problem.column ?? 0) >= 1, "\(problem)")
                }
                #expect(!error.description.contains(SecrecyTests.canary), "\(error)")
            }
        }
    }

    @Test("Cut off anywhere, it loads or every problem has its place")
    func truncations() throws {
        let example = try Self.bytes()
        for end in stride(from: 0, to: example.count, by: 7) {
            do throws(ConfigurationError) {
                _ = try load(bytes: Array(example[..<end]))
            } catch {
                for problem in error.problems where problem.path != "routes" {
                    #expect((problem.line ?? 0) >= 1, "\(problem)")
                }
            }
        }
    }
}

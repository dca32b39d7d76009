import EventTransport
import Glibc
import Support
import Testing

@testable import ProxyServer

/// A proxy with its file, its token endpoint and two backends, which say who they are and what they got.
struct Reloadable {
    let proxy: ProxyUnderTest
    let tokens: FakeTokenEndpoint
    let backends: [ScriptedServer]
    let directory: TemporaryDirectory

    static let layout = Layout(match: "{ host: app.test }")

    func text(_ layout: Layout, backend: Int = 0) -> String {
        layout.yaml(backendPort: backends[backend].port, tokenURL: tokens.url, directory: directory.path)
    }

    func write(_ layout: Layout, backend: Int = 0) throws {
        _ = try directory.write(text(layout, backend: backend), to: "attache.yaml")
    }

    func reload(_ layout: Layout, backend: Int = 0) throws -> ReceivedResponse {
        try write(layout, backend: backend)
        return try proxy.post("/reload")
    }
}

/// Runs a test's body with a proxy whose directory holds `files` and symbolic `links`, by their names.
func withReloadable(
    _ layout: Layout = Reloadable.layout, files: [String: String] = [:], links: [String: String] = [:],
    passed: PassedSockets = .none,
    _ body: (Reloadable) throws -> Void
) throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    for (name, text) in files { _ = try directory.write(text, to: name) }
    for (name, target) in links { try #require(symlink(target, directory.file(name)) == 0) }
    let tokens = try FakeTokenEndpoint()
    defer { tokens.stop() }
    let backends = try ["first", "second"].map { name in
        try ScriptedServer(answering: { request in
            Scripts.response("\(name) \(request.fields["Authorization"] ?? "nothing")")
        })
    }
    defer { for backend in backends { backend.stop() } }
    let yaml = layout.yaml(backendPort: backends[0].port, tokenURL: tokens.url, directory: directory.path)
    let proxy = try ProxyUnderTest(file: try directory.write(yaml, to: "attache.yaml"), passed: passed)
    defer { proxy.stop() }
    try body(Reloadable(proxy: proxy, tokens: tokens, backends: backends, directory: directory))
}

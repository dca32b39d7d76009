import ProxyConfiguration
import Testing

@Suite("The addresses that a configuration gives names")
struct ResolveTests {
    @Test("are read with their names and ports")
    func values() throws {
        let configuration = try load(
            """
            unmatched: forward
            resolve:
              A.Example: 192.0.2.1
              a.example:8443: [192.0.2.2, "2001:DB8::0:1"]
              "b": ["[::1]"]
            """)
        #expect(
            configuration.resolve == [
                NameOverride(host: "a.example", addresses: ["192.0.2.1"]),
                NameOverride(host: "a.example", port: 8443, addresses: ["192.0.2.2", "2001:db8::1"]),
                NameOverride(host: "b", addresses: ["::1"]),
            ])
    }

    @Test("are none by default")
    func none() throws {
        #expect(try load("unmatched: forward").resolve.isEmpty)
        #expect(try load("unmatched: forward\nresolve: {}\n").resolve.isEmpty)
    }
}

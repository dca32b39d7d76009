import Testing

@testable import ProxyCore

@Suite struct HostHashTests {
    @Test(
        "Hosts that differ in their last bytes have slots far apart",
        arguments: ["service-", "10.0.0.", "payments-", "api.cluster-", "s"])
    func spread(_ prefix: String) {
        // As many places as a table of 1,000 routes has.
        let places = (0..<1000).map { HostHash.of("\(prefix)\($0)") >> 53 }
        let most = Dictionary(grouping: places) { $0 }.values.map(\.count).max() ?? 0
        #expect(most <= 8, "\(most) hosts share a place")
    }

    @Test("Case makes no difference")
    func letterCase() {
        for host in ["a", "Api.Example", "service-NAME.cluster.LOCAL"] {
            #expect(HostHash.of(host) == HostHash.of(host.lowercased()))
        }
    }
}

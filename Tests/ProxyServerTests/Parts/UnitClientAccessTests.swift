import EventTransport
import ProxyConfiguration
import Support
import Testing

@testable import ProxyServer

@Suite("The clients of a listener")
struct UnitClientAccessTests {
    /// The routes `first` and `second` take the same URLs; `third` takes a host of its own, and allows tunnels.
    private static func layout(_ allow: String, top: [String] = []) -> Layout {
        var layout = Layout()
        layout.listeners = ["{ address: \"unix:@clients\", allow: [\(allow)] }"]
        layout.routesBefore = [
            "{ name: first, match: { host: same.example }, upstream: \"https://first.example\", credential: main }",
            "{ name: second, match: { host: same.example }, upstream: \"https://second.example\", credential: main }",
            "{ name: third, match: { host: third.example }, upstream: \"https://third.example\", connect: tunnel }",
        ]
        layout.top = top
        return layout
    }

    private static let allow = """
        { user: 1, routes: [first] }, { user: 2, routes: [second] }, { group: 20, routes: [third] }, { user: 3, group: 30 }
        """

    private func decided(
        _ url: String, _ peer: LocalPeer, _ allow: String = Self.allow, top: [String] = []
    ) throws -> DecidedRequest {
        try DecidedRequest(request(to: url), Self.layout(allow, top: top), through: .local(peer))
    }

    @Test(
        "A client uses its own routes, those of all entries for it together",
        arguments: [
            (LocalPeer(user: 1, group: 9), "https://first.example:443"),
            (LocalPeer(user: 2, group: 20), "https://second.example:443"),
            (LocalPeer(user: 3, group: 30), "https://first.example:443"),
            (LocalPeer(user: 3, group: 9, otherGroups: [8, 30]), "https://first.example:443"),
        ])
    func routes(peer: LocalPeer, upstream: String) throws {
        let decided = try decided("http://same.example/", peer)
        #expect(decided.upstream == upstream)
        #expect(decided.sent?.fields["Authorization"] == DecidedRequest.value)
    }

    @Test(
        "A client for whom there is no entry is refused, whatever it asks for",
        arguments: [
            LocalPeer(user: 4, group: 9), LocalPeer(user: 3, group: 9),
            LocalPeer(user: 9, group: 1, otherGroups: [2, 3]),
        ])
    func strangers(peer: LocalPeer) throws {
        for url in ["http://same.example/", "http://elsewhere.example/", "/"] {
            let refusal = try #require(try decided(url, peer, top: ["unmatched: forward"]).refusal)
            try expectOwnAnswer(
                refusal, 403, mentions: ["user with the number \(peer.user)", "add { user: \(peer.user) }"])
            #expect(refusal.text.contains("#client-denied"))
        }
    }

    @Test("A route of other clients is refused, also if requests without a route are forwarded")
    func otherRoutes() throws {
        for top in [[], ["unmatched: forward"]] {
            let decided = try decided("http://third.example/", LocalPeer(user: 1, group: 9), top: top)
            let refusal = try #require(decided.refusal)
            try expectOwnAnswer(refusal, 403, mentions: ["add { user: 1, routes: [third] } to allow"])
            #expect(decided.route == "third")
        }
        let elsewhere = try decided("http://9.9.9.9/", LocalPeer(user: 1, group: 9), top: ["unmatched: forward"])
        #expect(elsewhere.upstream == "http://9.9.9.9:80")
        let nowhere = try decided("http://9.9.9.9/", LocalPeer(user: 1, group: 9))
        #expect(nowhere.refusal?.text.contains("#destination-denied") == true)
    }

    @Test("Numbers that stand for users and groups of other user namespaces are nobody's")
    func foreign() throws {
        let foreign = ClientRule.overflowNumber
        let refusal = try #require(
            try decided("http://same.example/", LocalPeer(user: foreign, group: foreign)).refusal)
        try expectOwnAnswer(refusal, 403, mentions: ["another user namespace", "PrivateUsers=no"])
    }

    @Test("A CONNECT is decided by the routes of the client, and by the listener's where they say nothing")
    func connect() throws {
        func ask(_ place: String, _ peer: LocalPeer) throws -> DecidedRequest {
            let top = ["connect: { allow: [\"*:443\"] }"]
            return try DecidedRequest(
                "CONNECT \(place) HTTP/1.1\r\nHost: x\r\n\r\n", Self.layout(Self.allow, top: top), through: .local(peer)
            )
        }
        let (first, third) = (LocalPeer(user: 1, group: 9), LocalPeer(user: 9, group: 20))
        #expect(try ask("third.example:443", third).upstream == "http://third.example:443")
        #expect(try ask("third.example:443", first).refusal?.text.contains("#client-denied") == true)
        #expect(try ask("same.example:443", first).refusal?.text.contains("#connect-denied") == true)
        #expect(try ask("same.example:443", third).refusal?.text.contains("#connect-denied") == true)
        #expect(try ask("other.example:443", first).upstream == "http://other.example:443")
        #expect(try ask("other.example:443", LocalPeer(user: 4, group: 4)).refusal?.status == 403)
    }
}

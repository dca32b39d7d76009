import EventTransport
import HTTPWire
import ProxyCore
import Support
import Testing
import TokenManager

@testable import ProxyServer

/// The router alone: what it makes once, and what it lets go of.
@Suite struct UnitRouterTests {
    /// A router with a route for every host under wild.example, which lets what no route names pass.
    private func router(_ fixed: Route? = nil, on loop: EventLoop? = nil) throws -> Router {
        let route = Route(
            name: "wild", match: RouteMatch(host: .suffix(".wild.example"), port: .any),
            upstream: .requestedHostOverTLS)
        return try Router(
            table: RouteTable(routes: [fixed, route].compactMap(\.self), unmatched: .forward), credentials: [],
            limits: Limits(), endpoints: .unconnected(on: loop))
    }

    private func destination(_ host: String, of router: Router) throws -> Destination {
        let bytes = Array("GET http://\(host)/ HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8)
        let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        return try router.destination(of: head, in: bytes.span)
    }

    @Test(
        "A host that only requests name gets one destination",
        arguments: [("a.wild.example", 0), ("elsewhere.example", nil)] as [(String, Int?)])
    func once(_ host: String, _ routeIndex: Int?) throws {
        let router = try router()
        let first = try destination(host, of: router)
        #expect(first.route == routeIndex)
        #expect(try destination(host.uppercased(), of: router) === first)
        #expect(try destination("\(host):8080", of: router) !== first)
        #expect(try destination("b.\(host)", of: router) !== first)
    }

    @Test("Apps choose a host that only requests name, also below a wildcard, but never one that a route names")
    func choice() throws {
        let fixed = Route(
            name: "fixed", match: RouteMatch(host: .exact("fixed.wild.example"), port: .any),
            upstream: .origin(Origin(scheme: .https, host: "fixed.wild.example", port: 443)))
        let router = try router(fixed)
        #expect(try destination("a.wild.example", of: router).endpoint.target.isChosenByApp)
        #expect(try destination("elsewhere.example", of: router).endpoint.target.isChosenByApp)
        #expect(try !destination("fixed.wild.example", of: router).endpoint.target.isChosenByApp)
    }

    @Test("Requests for one authority go where each of them would go alone", arguments: [true, false])
    func repeatedAuthority(_ dependsOnPath: Bool) throws {
        let routes = (dependsOnPath ? ["/a", nil] : [nil]).enumerated().map { index, path in
            Route(
                name: "r\(index)", match: RouteMatch(host: .exact("one.example"), port: .any, pathPrefix: path),
                upstream: .origin(Origin(scheme: .https, host: "u\(index).example", port: 443)))
        }
        let router = try Router(
            table: RouteTable(routes: routes, unmatched: .forward), credentials: [], limits: Limits(),
            endpoints: .unconnected(on: nil))
        let (shared, other) = (FieldLines(), FieldLines())
        for _ in 0..<3 {
            for fields in [shared, other] {
                for host in ["one.example", "two.example", "one.example:81", "ONE.example"] {
                    for path in ["/a", "/b", "", "?q"] {
                        for scheme in ["http", "https"] {
                            let bytes = Array("GET \(scheme)://\(host)\(path) HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
                            let known = try #require(
                                try RequestHead.parse(bytes.span, limits: HeadLimits(), fields: fields))
                            let destination = try router.destination(of: known, in: bytes.span)
                            let fresh = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
                            #expect(try router.destination(of: fresh, in: bytes.span) === destination)
                        }
                    }
                }
            }
        }
    }

    @Test("A destination without a connection is dropped after very many others", arguments: [true, false])
    func dropped(_ isMatched: Bool) throws {
        let router = try router()
        let domain = isMatched ? "wild.example" : "elsewhere.example"
        weak let first = try destination("first.\(domain)", of: router)
        for number in 1..<Router.leastRequestedHostLimit {
            _ = try destination("h\(number).\(domain)", of: router)
        }
        #expect(first != nil)
        _ = try destination("last.\(domain)", of: router)
        #expect(first == nil)
    }

    @Test("What a route names and what an app chose do not share an endpoint, whichever comes first")
    func chosenFirst() throws {
        let endpoints = try UpstreamEndpoints.unconnected()
        let origin = Origin(scheme: .http, host: "a.example", port: 80)
        let chosen = try endpoints.endpoint(origin, UpstreamTLS(), through: nil, isChosenByApp: true)
        let named = try endpoints.endpoint(origin, UpstreamTLS(), through: nil)
        #expect(chosen.target.isChosenByApp && !named.target.isChosenByApp)
    }

    /// A router with a route to `host` that reads files, on endpoints that others may have too.
    private func router(to host: String, _ directory: TemporaryDirectory, _ endpoints: UpstreamEndpoints) throws
        -> Router
    {
        let password = try directory.write("canary-password", to: "password-\(host)")
        let authorities = try directory.write(
            TemporaryDirectory.read(TestCertificates.shared.caFile), to: "ca-\(host)")
        let route = Route(
            name: host, match: RouteMatch(host: .exact(host), port: .any),
            upstream: .origin(Origin(scheme: .https, host: host, port: 443)),
            tls: UpstreamTLS(caFile: authorities),
            upstreamProxy: UpstreamProxy(
                host: "proxy.example", port: 3128,
                credentials: .init(username: "u", password: .file(path: password))))
        return try Router(
            table: RouteTable(routes: [route], unmatched: .deny), credentials: [], limits: Limits(),
            endpoints: endpoints)
    }

    @Test("A prepared router keeps its endpoints, and files that only a released one needed are forgotten")
    func files() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let endpoints = try UpstreamEndpoints.unconnected()
        var old: Router? = try router(to: "old.example", directory, endpoints)
        let new = try router(to: "new.example", directory, endpoints)
        old?.dropUnused()
        #expect(endpoints.count == 2)
        #expect(endpoints.watchedFiles.count == 4)
        old = nil
        new.dropUnused()
        #expect(endpoints.count == 1)
        let files = ["ca-new.example", "password-new.example"].map { directory.file($0) }
        #expect(endpoints.watchedFiles == files)
    }

    @Test("A destination to which a connection is being made is kept until the attempt is over")
    func connecting() throws {
        let loop = try EventLoop()
        // The attempt leaves work on the loop, which would hold the loop for ever.
        defer {
            loop.stop()
            loop.run()
        }
        let router = try router(on: loop)
        weak let first = try destination("first.wild.example", of: router)
        let attempt = try #require(first).endpoint.connect { _ in }
        for _ in 0..<2 {
            for number in 0..<Router.leastRequestedHostLimit {
                _ = try destination("h\(number).wild.example", of: router)
            }
        }
        #expect(first != nil)
        attempt.cancel()
        #expect(first?.endpoint.isUnused == true)
    }
}

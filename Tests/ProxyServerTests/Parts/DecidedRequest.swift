import EventTransport
import HTTPWire
import Logging
import ProxyConfiguration
import ProxyCore
import Support
import Testing
import TokenManager

@testable import ProxyServer

/// What Attaché decides about a request before it opens a connection, made of the parts that serve requests: the parser,
/// the router and the rules of its destination.
struct DecidedRequest {
    /// How the request comes.
    enum Way {
        /// To a forward listener.
        case forward
        /// To a gateway for the route `main`.
        case gateway
        /// To a forward listener on a Unix socket, by this client.
        case local(LocalPeer)
        /// Inside a CONNECT to this place, which a route terminates.
        case terminated(String)
    }

    /// The value of every credential.
    static let value = "attached"

    /// The port of the gateway.
    static let gatewayPort: UInt16 = 3129

    /// The port of the layout's backend.
    static let port: UInt16 = 8080

    /// The head that the backend gets; nil if the request is refused.
    private(set) var sent: ReceivedRequest?
    /// Attaché's own response; nil if the request is forwarded.
    private(set) var refusal: ReceivedResponse?
    /// The origin of the backend.
    private(set) var upstream: String?
    /// The name of the route that takes the request, or that would take it if it was not refused.
    private(set) var route: String?

    /// Decides about the request whose bytes begin with this head; `{port}` in it stands for the backend's port.
    init(_ request: String, _ layout: Layout = Layout(), through way: Way = .forward) throws {
        var layout = layout
        layout.accessLog = "off"
        var flags = Flags()
        flags.configurationFile = TextFileReader.path
        let yaml = layout.yaml(backendPort: Self.port, tokenURL: "http://127.0.0.1:9/token", directory: "/nonexistent")
        let configuration = try Configuration.load(
            flags: flags, environment: [:], files: TextFileReader(text: yaml))
        let router = try Router(
            table: configuration.routeTable, credentials: configuration.credentials, limits: configuration.limits,
            endpoints: .unconnected())
        let bytes = Array(request.replacing("{port}", with: "\(Self.port)").utf8)
        do throws(Router.Refused) {
            try decide(bytes.span, configuration, router, way)
        } catch {
            route = error.route.map(router.routeName)
            refusal = try Self.response(to: bytes, error.error)
        }
    }

    private mutating func decide(
        _ bytes: Span<UInt8>, _ configuration: Configuration, _ router: Router, _ way: Way
    ) throws(Router.Refused) {
        let head = try Self.parsed(bytes, configuration.limits)
        let destination: Destination
        switch way {
        case .forward:
            let address = ListenerAddress.tcp(SocketAddress(.loopbackV4, port: 3128))
            let rules = router.rules(of: configuration.listeners[0], at: address)
            destination =
                if let rules {
                    try router.destination(of: head, in: bytes, by: rules)
                } else {
                    try router.destination(of: head, in: bytes)
                }
        case .local(let peer):
            guard let rules = Self.rules(for: peer, configuration, router) else {
                preconditionFailure("the listener allows everybody")
            }
            if let refusal = rules.client?.refusal { throw Router.Refused(error: refusal) }
            guard head.method != .connect else {
                if case .tunnel(let destination) = try router.connect(head, in: bytes, for: rules) {
                    upstream = "\(destination.endpoint.origin)"
                }
                return
            }
            destination = try router.destination(of: head, in: bytes, by: rules)
        case .gateway:
            let address = ListenerAddress.tcp(SocketAddress(.loopbackV4, port: Self.gatewayPort))
            destination = try router.gateway(to: "main", hosts: [], at: address).destination(of: head, in: bytes)
        case .terminated(let place):
            let connect = Array("CONNECT \(place) HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
            let opened = try router.connect(
                try Self.parsed(connect.span, configuration.limits), in: connect.span, by: configuration.routeTable)
            guard case .terminate(let tunnel) = opened else { preconditionFailure("the CONNECT is not terminated") }
            if case .origin = head.target {
                guard tunnel.isNamed(by: head, in: bytes) else {
                    throw Router.Refused(error: Refusals.otherHost(than: tunnel))
                }
                let absolute = tunnel.absolute(head, in: bytes)
                return try decide(absolute.span, configuration, router, .forward)
            }
            destination = try router.destination(of: head, in: bytes)
        }
        route = destination.route.map(router.routeName)
        upstream = "\(destination.endpoint.origin)"
        let rewritten = UpstreamRequestHead(head, in: bytes, rules: destination.rules, into: OutputBuffer())
        if rewritten.isAmbiguous { throw Router.Refused(error: Refusals.ambiguousCredential) }
        var out = OutputBuffer()
        if let credential = destination.credential, !rewritten.carriesOwnCredential {
            do throws(ProxyError) {
                _ = try credential.parameters?.values(in: head, bytes)
            } catch {
                throw Router.Refused(error: error, route: destination.route)
            }
            let name = configuration.credentials[credential.number].header
            rewritten.append(with: AuthorizationLine(name: name, value: Self.value), to: &out)
        } else {
            rewritten.appendWithoutCredential(to: &out)
        }
        sent = ReceivedRequest(head: Self.copy(of: out), connection: 0)
    }

    private static func rules(
        for peer: LocalPeer, _ configuration: Configuration, _ router: Router
    ) -> ListenerRules? {
        ClientAccess(
            configuration.listeners[0].allow, passwords: nil, nil, offered: router.table, numbers: router.routeNumbers
        ).admission(of: peer).rules
    }

    private static func parsed(_ bytes: Span<UInt8>, _ limits: Limits) throws(Router.Refused) -> RequestHead {
        do throws(MessageError) {
            let head = try RequestHead.parse(
                bytes, limits: HeadLimits(headBytes: limits.headBytes, fieldCount: limits.fieldCount))
            guard let head else { preconditionFailure("the request has no whole head") }
            return head
        } catch {
            throw Router.Refused(error: ProxyError(.malformedRequest(error), error.advice(limits)))
        }
    }

    private static func response(to request: [UInt8], _ error: ProxyError) throws -> ReceivedResponse {
        var out = OutputBuffer()
        ErrorResponse(error).append(to: &out, isHead: false, closes: false)
        var bytes = copy(of: out)
        let reader = MessageReader {
            defer { bytes = [] }
            return bytes
        }
        var response = ReceivedResponse(head: try #require(try reader.head()), answering: "GET")
        response.body = try reader.body(response.framing).content
        return response
    }

    private static func copy(of buffer: borrowing OutputBuffer) -> [UInt8] {
        buffer.withSpan { span in
            var copy: [UInt8] = []
            copy.append(copying: span)
            return copy
        }
    }
}

extension UpstreamEndpoints {
    /// Endpoints on a loop that does not run.
    static func unconnected(on loop: EventLoop? = nil) throws -> UpstreamEndpoints {
        let loop = try loop ?? EventLoop()
        return UpstreamEndpoints(
            loop: loop, connector: Connector(loop: loop), connectTimeout: .seconds(1), idle: IdleConnections(limit: 1),
            logger: Logger(label: "test") { _ in CapturedLog() })
    }
}

/// A request without a body for the layout's backend; `fields` are whole lines with their CRLF.
func request(_ path: String = "/", fields: String = "", method: String = "GET") -> String {
    request(to: "http://127.0.0.1:{port}\(path)", fields: fields, method: method)
}

/// A request without a body for a URL.
func request(to url: String, fields: String = "", method: String = "GET") -> String {
    "\(method) \(url) HTTP/1.1\r\nHost: ignored.example\r\n\(fields)\r\n"
}

import HTTPWire
import ProxyConfiguration
import ProxyCore

/// What one client may not do at a listener that limits its clients (`allow`).
///
/// Confined to the worker's loop.
final class ClientLimits {
    /// The client as the subject of a sentence.
    let subject: String
    /// The keys of an entry that is for the client, as in `user: 1000`.
    private let entry: String
    /// The answer to every request; nil if an entry is for the client.
    let refusal: ProxyError?
    /// The routes of the listener for all of its clients.
    private let offered: RouteTable
    /// The routes that the client may use.
    private let own: RouteTable
    /// The numbers of all routes, by their indices.
    private let numbers: [Int]

    init(
        subject: String, entry: String, isAdmitted: Bool, own: RouteTable, of offered: RouteTable, _ numbers: [Int],
        advice: String? = nil
    ) {
        self.subject = subject
        self.entry = entry
        self.own = own
        self.offered = offered
        self.numbers = numbers
        refusal =
            isAdmitted ? nil : ClientRefusals.client(subject, advice ?? "add { \(entry) } to allow of the listener")
    }

    /// Checks a request other than CONNECT that none of the client's routes takes.
    ///
    /// - Throws: The refusal, if another route of the listener takes it.
    func check(_ head: borrowing RequestHead, in bytes: Span<UInt8>) throws(Router.Refused) {
        guard let index = offered.decide(head, in: bytes).routeIndex else { return }
        throw refused(index)
    }

    /// Checks a CONNECT.
    ///
    /// - Throws: The refusal, if none of the client's routes decides about it, and another route of the listener does.
    func checkConnect(
        _ head: borrowing RequestHead, host: ByteRange, port: UInt16, in bytes: Span<UInt8>
    ) throws(Router.Refused) {
        guard own.decideConnect(host: host, port: port, in: bytes).hasNoRoute else { return }
        switch offered.decideConnect(host: host, port: port, in: bytes) {
        case .tunnel(_, _, let index?, _), .terminate(_, _, let index): throw refused(index)
        case .denied(let index?):
            throw Router.Refused(error: Refusals.connect(head, in: bytes, offered), route: numbers[index])
        case .tunnel(_, _, nil, _), .denied(nil), .forbidden: return
        }
    }

    private func refused(_ index: Int) -> Router.Refused {
        Router.Refused(
            error: ClientRefusals.route(offered.routes[index].name, to: subject, entry: entry), route: numbers[index])
    }
}

extension ConnectDecision {
    /// Whether no route has decided.
    fileprivate var hasNoRoute: Bool {
        switch self {
        case .tunnel(_, _, nil, _), .denied(nil): true
        case .tunnel, .terminate, .denied, .forbidden: false
        }
    }
}

/// The errors of clients that a listener does not admit, or not to a route.
enum ClientRefusals {
    static func client(_ subject: String, _ advice: String) -> ProxyError {
        ProxyError(
            .clientDenied, "\(subject) may not use this listener, because no entry of its allow names them; \(advice)")
    }

    static func route(_ route: String, to subject: String, entry: String) -> ProxyError {
        ProxyError(
            .clientDenied,
            "\(subject) may not use route \(route) at this listener; add { \(entry), routes: [\(route)] } to allow of the listener"
        )
    }
}

extension Router {
    /// Decides about a CONNECT by a listener's rules.
    ///
    /// - Throws: The refusal of the request.
    func connect(
        _ head: borrowing RequestHead, in bytes: Span<UInt8>, for rules: ListenerRules?
    ) throws(Refused) -> Connect {
        if let client = rules?.client, case .authority(let host, let port) = head.target {
            try client.checkConnect(head, host: host, port: port, in: bytes)
        }
        return try connect(head, in: bytes, by: rules?.table ?? table)
    }
}

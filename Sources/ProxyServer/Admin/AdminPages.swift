import ProxyCore

/// The table of the admin listener's pages, which decides what a request gets.
///
/// It refuses requests that a web page of another site may have sent, and those that change something where other
/// machines reach the listener.
struct AdminPages {
    private let pages: [AdminPage]
    private let isLocal: Bool

    /// - Parameters:
    ///   - pages: The pages; one path may have several, with different methods.
    ///   - isLocal: Whether only this machine reaches the listener.
    init(_ pages: [AdminPage], isLocal: Bool) {
        self.pages = pages
        self.isLocal = isLocal
    }

    func answer(_ request: EmbeddedServer.Request, _ answer: @escaping EmbeddedServer.Answer) {
        if let refusal = request.refusal { return answer(Self.refused(refusal)) }
        let found = pages.compactMap { page in page.name(in: request.path).map { (page: page, name: $0) } }
        guard !found.isEmpty else { return answer(.init(404, "No page has this path. The pages are \(list)\n")) }
        guard let (page, name) = found.first(where: { $0.page.method.names.contains(request.method) }) else {
            let names = found.flatMap(\.page.method.names).joined(separator: ", ")
            return answer(
                .init(405, "The page \(found[0].page.path) takes only \(names)\n", fields: ["Allow: \(names)"]))
        }
        guard isLocal || page.method == .get else {
            let reason =
                "\(page.method.rawValue) requests need an admin listener on a loopback address or a Unix socket; set admin.address"
            return answer(.init(403, reason + "\n"))
        }
        var request = request
        request.name = name
        page.respond(request, answer)
    }

    /// The pages, as in `/livez, POST /reload`.
    private var list: String {
        pages.map { $0.method == .get ? $0.path : "\($0.method.rawValue) \($0.path)" }.joined(separator: ", ")
    }

    private static func refused(_ refusal: GatewayHosts.Refusal) -> EmbeddedServer.Response {
        switch refusal {
        case .host:
            .init(
                421,
                "The Host is not a name of the admin listener. A web page could have made it point to this machine. Use an IP "
                    + "address or localhost, or add the name to admin.hosts\n")
        case .origin:
            .init(
                403,
                "A web page of another server sent this request through a browser. If the page may use the admin listener, add "
                    + "the host of its Origin to admin.hosts; to open a page, enter its address\n")
        case .opaqueOrigin:
            .init(
                403,
                "A web page without an address of its own sent this request through a browser (Origin: null). The admin "
                    + "listener refuses such requests; to open a page, enter its address\n")
        }
    }
}

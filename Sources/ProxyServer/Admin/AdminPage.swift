/// A page of the admin listener, or an action that a request to it performs.
struct AdminPage {
    enum Method: String {
        /// A page that changes nothing; it answers HEAD too.
        case get = "GET"
        case post = "POST"
        case put = "PUT"

        /// The methods of requests that get the page.
        var names: [String] { self == .get ? ["GET", "HEAD"] : [rawValue] }
    }

    typealias Respond = (EmbeddedServer.Request, @escaping EmbeddedServer.Answer) -> Void

    let method: Method
    /// The path; the segment `NAME` stands for any name, which the request has as its `name`.
    let path: String
    /// Answers at once or later; a HEAD needs the fields only.
    let respond: Respond

    init(_ method: Method, _ path: String, _ respond: @escaping Respond) {
        self.method = method
        self.path = path
        self.respond = respond
    }

    /// A page that is ready at once.
    static func get(_ path: String, _ page: @escaping () -> EmbeddedServer.Response) -> AdminPage {
        AdminPage(.get, path) { _, answer in answer(page()) }
    }

    /// The name that a path has in place of `NAME`, empty if there is none to have; nil if it is another page's path.
    func name(in path: String) -> String? {
        let pattern = self.path.split(separator: "/", omittingEmptySubsequences: false)
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        guard pattern.count == segments.count else { return nil }
        var name = ""
        for (expected, segment) in zip(pattern, segments) {
            if expected == "NAME" {
                guard !segment.isEmpty else { return nil }
                name = String(segment)
            } else if expected != segment {
                return nil
            }
        }
        return name
    }
}

import Support

/// What backends of the tests do.
enum Scripts {
    /// Answers every request with 200 and its target as the content.
    static let ok = ScriptedServer.answering { response($0.target) }

    /// Answers every request with 200 and the request's own content.
    static let echo = ScriptedServer.answering { response($0.text) }

    /// The same bytes for every request, on connections that stay.
    static func always(_ bytes: String) -> ScriptedServer.Script {
        ScriptedServer.answering { _ in bytes }
    }

    /// The bytes for the first request of each connection, which then ends.
    static func once(_ bytes: String) -> ScriptedServer.Script {
        { connection in
            _ = try connection.request()
            try connection.send(bytes)
        }
    }

    /// Takes a request and says nothing until the proxy closes.
    static let silent: ScriptedServer.Script = { connection in
        _ = try connection.request()
        connection.receiveUntilEnd()
    }

    /// A complete response with a Content-Length.
    static func response(_ body: String, status: String = "200 OK", fields: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: text/plain\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
    }
}

/// A request as the judge reads it: by the plain rules of RFC 9112 and without the proxy's parser.
struct PlainRequest {
    var method = ""
    var target = ""
    var isHTTP11 = true
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
    var isComplete = false
    /// Where its head begins and ends in the stream.
    var start = 0
    var headEnd = 0

    func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// Whether another request may follow on the connection.
    var isPersistent: Bool {
        let options = values("connection").joined(separator: ",").lowercased().split(separator: ",").map {
            $0.trimmingSpaces
        }
        return isHTTP11 ? !options.contains("close") : options.contains("keep-alive") && !options.contains("close")
    }
}

/// All requests of one stream, and whether it ends between two of them.
struct PlainRequests {
    var requests: [PlainRequest] = []
    /// Bytes are left that are no whole head, or something that is none at all.
    var hasRest = false

    init(_ bytes: [UInt8]) {
        var index = 0
        while index < bytes.count {
            var head = PlainHead(bytes, from: index, skippingEmptyLine: true)
            guard let words = head?.startLine.split(separator: " ", omittingEmptySubsequences: false).map(String.init),
                words.count == 3, words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0", let found = head.take()
            else {
                hasRest = true
                return
            }
            var request = PlainRequest()
            request.method = words[0]
            request.target = words[1]
            request.isHTTP11 = words[2] == "HTTP/1.1"
            request.fields = found.fields
            request.start = index
            request.headEnd = found.end
            guard let body = PlainBody(bytes, from: found.end, found, endsWithStream: false) else {
                hasRest = true
                return
            }
            request.body = body.content
            request.isComplete = body.isComplete
            requests.append(request)
            index = body.end
            guard request.isComplete, request.isPersistent else { return }
        }
    }
}

/// A response as the judge reads it.
struct PlainResponse {
    var status: Int
    var fields: [(name: String, value: String)]
    var content: [UInt8]
    /// Whether it ends with its head, whatever its fields say: an answer to HEAD, a 204 or a 304.
    var isBodiless: Bool
    var isComplete: Bool
    /// Whether another may follow on the connection.
    var isPersistent: Bool
}

/// The final responses of one stream, each to the next of the methods given.
struct PlainResponses {
    var finals: [PlainResponse] = []
    /// How many interim ones came before each final one, and behind the last.
    var interims = [0]
    /// One of the interim ones was a 101.
    var hasSwitched = false
    /// The stream ends within a head.
    var endsInHead = false
    /// Something that is no response, from this position on.
    var malformedAt: Int?

    /// - Parameters:
    ///   - bytes: The stream.
    ///   - methods: Of the requests, in order; behind the last, every response is read as one to a GET.
    init(_ bytes: [UInt8], answering methods: [String]) {
        var index = 0
        while index < bytes.count {
            guard bytes.firstIndex(of: Array("\r\n\r\n"), from: index) != nil else {
                endsInHead = true
                return
            }
            guard let head = PlainHead(bytes, from: index), let status = Self.status(of: head.startLine) else {
                malformedAt = index
                return
            }
            guard status >= 200 else {
                hasSwitched = hasSwitched || status == 101
                interims[interims.count - 1] += 1
                index = head.end
                continue
            }
            let method = finals.count < methods.count ? methods[finals.count] : "GET"
            let isBodiless = method == "HEAD" || status == 204 || status == 304
            guard var body = PlainBody(bytes, from: head.end, head, endsWithStream: true), !body.isMalformed else {
                malformedAt = index
                return
            }
            let options = head.values("connection").joined(separator: ",").lowercased()
            if isBodiless {
                body.content = []
                body.isComplete = true
                // A HEAD that was refused before its method was understood is answered like a GET.
                body.end = options.contains("close") ? bytes.count : head.end
                body.endsWithStream = false
            }
            finals.append(
                PlainResponse(
                    status: status, fields: head.fields, content: body.content, isBodiless: isBodiless,
                    isComplete: body.isComplete, isPersistent: !options.contains("close") && !body.endsWithStream))
            interims.append(0)
            index = body.end
        }
    }

    private static func status(of line: String) -> Int? {
        guard line.hasPrefix("HTTP/1.1 ") || line.hasPrefix("HTTP/1.0 ") else { return nil }
        return Int(line.dropFirst(9).prefix(3)).flatMap { (100...599).contains($0) ? $0 : nil }
    }
}

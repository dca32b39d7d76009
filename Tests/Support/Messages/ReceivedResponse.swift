/// A response as a test's client saw it.
package struct ReceivedResponse: Sendable, CustomStringConvertible {
    package let head: String
    package let version: String
    package let status: Int
    package let reason: String
    package let fields: ReceivedFields
    package let framing: ReceivedFraming
    /// The content, with chunked coding removed.
    package var body: [UInt8] = []
    /// Every byte of the message as it came.
    package var raw: [UInt8]

    package init(head bytes: [UInt8], answering method: String) {
        raw = bytes
        head = String(decoding: bytes, as: UTF8.self)
        let lines = head.headLines
        let words = (lines.first ?? "").split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        version = words.first.map(String.init) ?? ""
        let status = words.count > 1 ? Int(words[1]) ?? 0 : 0
        self.status = status
        reason = words.count > 2 ? String(words[2]) : ""
        fields = ReceivedFields(lines: Array(lines.dropFirst()))
        let opensTunnel = method == "CONNECT" && status < 300
        if method == "HEAD" || opensTunnel || status < 200 || status == 204 || status == 304 {
            framing = .none
        } else if fields["Transfer-Encoding"] != nil {
            framing = .chunked
        } else if let length = fields["Content-Length"].flatMap(Int.init) {
            framing = .length(length)
        } else {
            framing = .untilClose
        }
    }

    package var text: String { String(decoding: body, as: UTF8.self) }

    package var description: String { head + text.prefix(2000) }
}

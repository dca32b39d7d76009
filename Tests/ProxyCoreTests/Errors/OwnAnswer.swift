import FoundationEssentials
import HTTPWire
import ProxyCore
import Testing

/// An answer of our own, taken apart by the parsers that others would use.
struct OwnAnswer {
    struct Problem: Decodable, Equatable {
        let type: String
        let title: String
        let status: Int
        let detail: String
    }

    let status: Int
    let framing: BodyFraming
    let isPersistent: Bool
    let fields: [String: String]
    let body: String

    init(_ error: ProxyError, isHead: Bool = false, closes: Bool = false) throws {
        var out = OutputBuffer()
        ErrorResponse(error).append(to: &out, isHead: isHead, closes: closes)
        let bytes = latin1(out.text)
        let head = try #require(
            try ResponseHead.parse(bytes.span, answering: isHead ? .head : .get, limits: HeadLimits()))
        var fields: [String: String] = [:]
        for index in 0..<head.fields.count {
            let (name, value) = (head.fields[index].name, head.fields[index].value)
            let key = String(decoding: bytes[name.lowerBound..<name.upperBound], as: UTF8.self).lowercased()
            #expect(fields[key] == nil, "\(key) is there twice")
            fields[key] = String(decoding: bytes[value.lowerBound..<value.upperBound], as: UTF8.self)
        }
        (status, framing, isPersistent) = (head.status, head.framing, head.isPersistent)
        self.fields = fields
        body = String(decoding: bytes[head.byteCount...], as: UTF8.self)
    }

    var problem: Problem {
        get throws { try JSONDecoder().decode(Problem.self, from: Data(body.utf8)) }
    }
}

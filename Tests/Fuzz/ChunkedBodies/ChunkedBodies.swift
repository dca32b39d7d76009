@testable import HTTPWire

/// Any bytes as a chunked body with what follows it, and as the content of one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzChunkedBody(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = fuzzInput(start, count)
    let whole = Decoding(of: [bytes])
    require(Decoding(of: bytes.map { [$0] }) == whole, "byte by byte gives something else")
    for place in cuts(of: bytes, every: 128) {
        let parts = [Array(bytes[..<place]), Array(bytes[place...])]
        require(Decoding(of: parts) == whole, "cut at \(place) it gives something else")
    }
    if case .ended(let byteCount) = whole.end {
        let body = Array(bytes[..<byteCount])
        require(plainContent(of: body) == whole.content, "the content is not what the chunks hold")
        require(Decoding(of: [body]) == whole, "the body depends on what follows it")
        require(Decoding(of: [Array(body.dropLast())]).end == .needsMore, "the body ends before its last byte")
        require(Decoding(of: [body + Array("GET")]) == whole, "bytes after the body are read")
    }
    requireRoundTrip(bytes)
    return 0
}

/// Content in chunks of sizes that it chooses itself decodes to itself.
private func requireRoundTrip(_ content: [UInt8]) {
    var encoded = OutputBuffer()
    var rest = content[...]
    while let size = rest.first.map({ min(rest.count, Int($0) + 1) }) {
        encoded.append(hexadecimal: size)
        encoded.appendCRLF()
        encoded.append(copying: Array(rest.prefix(size)).span)
        encoded.appendCRLF()
        rest = rest.dropFirst(size)
    }
    encoded.append(text: "0\r\n\r\n")
    let bytes = encoded.withSpan { span in
        var bytes: [UInt8] = []
        bytes.append(copying: span)
        return bytes
    }
    let decoding = Decoding(of: [bytes])
    require(decoding.content == content && decoding.end == .ended(bytes.count), "content comes back changed")
}

/// The content of a body that was accepted, found by the rules of RFC 9112 section 7.1 in their plainest form.
private func plainContent(of body: [UInt8]) -> [UInt8] {
    var content: [UInt8] = []
    var index = 0
    while true {
        guard let end = body.firstIndex(of: [13, 10], from: index) else { fail("a chunk without a size line") }
        let digits = body[index..<end].prefix { Unicode.Scalar($0).properties.isASCIIHexDigit }
        guard let size = Int(Array(digits).latin, radix: 16) else { fail("a chunk size without digits") }
        index = end + 2
        guard size > 0 else { break }
        require(size <= body.count - index, "a chunk longer than the body")
        content += body[index..<index + size]
        index += size
        require(body[index...].starts(with: [13, 10]), "a chunk without its CR LF")
        index += 2
    }
    while let end = body.firstIndex(of: [13, 10], from: index), end > index { index = end + 2 }
    require(index + 2 == body.count, "the trailers end elsewhere")
    return content
}

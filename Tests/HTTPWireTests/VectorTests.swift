import HTTPWire
import Testing
import Vectors

@Suite struct VectorTests {
    private static let cases = (try? VectorFile.all()) ?? []
    /// What a parser alone can judge; the rest is about forwarding.
    static let messages = cases.filter(\.isMessage)

    private static let request = latin1("GET /neighbour HTTP/1.1\r\nHost: n\r\n\r\n")
    private static let response = latin1("HTTP/1.1 200 N\r\nContent-Length: 1\r\n\r\n-")
    private static let chunkedRequest = latin1("POST / HTTP/1.1\r\nHost: n\r\nTransfer-Encoding: chunked\r\n\r\n")

    @Test("The files have the right format and at least 400 cases, none of them twice")
    func files() throws {
        let cases = try VectorFile.all()
        #expect(cases.count >= 400)
        var seen: [String: String] = [:]
        for vector in cases {
            let identity = "\(vector.kind) \(vector.settings.sorted { $0.key < $1.key }) \(vector.input)"
            let earlier = seen.updateValue(vector.description, forKey: identity)
            #expect(earlier == nil, "\(vector) stands twice")
        }
        let files = Dictionary(grouping: cases) { $0.place.prefix { $0 != "." } }
        print("Vectors: \(cases.count) cases in \(files.count) files")
        for (file, cases) in files.sorted(by: { $0.key < $1.key }) { print("Vectors: \(file) \(cases.count)") }
    }

    @Test("A message means what its case says", arguments: messages)
    func whole(_ vector: VectorCase) {
        let reading = read(vector, [vector.input[...]])
        for fault in vector.faults(in: reading) { Issue.record("\(fault)") }
    }

    @Test("A message means the same when it arrives byte by byte", arguments: messages)
    func byteByByte(_ vector: VectorCase) {
        let bytes = vector.input
        let reading = read(vector, bytes.indices.map { bytes[$0...$0] }, scanned: bytes.count > 2000)
        for fault in vector.faults(in: reading) { Issue.record("\(fault)") }
        #expect(reading.isScannedInTime)
    }

    @Test("A message means the same wherever it is cut, and no part of it is taken for the whole", arguments: messages)
    func cut(_ vector: VectorCase) {
        let bytes = vector.input
        let whole = read(vector, [bytes[...]])
        for place in places(bytes.count) {
            let reading = read(vector, [bytes[..<place], bytes[place...]])
            #expect(reading == whole, "cut at \(place)")
            var prefix = MessageReading(vector.kind, limits: vector.limits)
            prefix.receive(bytes[..<place])
            #expect(prefix.verdict == .incomplete || prefix == whole, "decided at \(place)")
            #expect(prefix.verdict != .accepted || place >= whole.byteCount, "complete at \(place)")
            #expect(whole.content.starts(with: prefix.content))
        }
    }

    @Test("A message means the same next to its neighbours", arguments: messages)
    func neighbours(_ vector: VectorCase) {
        let whole = read(vector, [vector.input[...]])
        var (first, before) = (MessageReading(.request), Self.request)
        if vector.isResponse { (first, before) = (MessageReading(.response(to: .get)), Self.response) }
        if vector.kind == .body(.chunked) {
            // As a body it has no place before which a message could stand; in a request it has.
            var inside = MessageReading(.request)
            inside.receive(Self.chunkedRequest + vector.input)
            #expect(inside.content == whole.content)
            #expect(inside.rest == whole.rest)
        } else if !vector.isBody {
            first.receive(before + vector.input)
            #expect(first.verdict == .accepted)
            #expect(Array(first.rest) == vector.input)
            #expect(read(vector, [first.rest]) == whole)
        }
        guard whole.verdict != .incomplete else { return }
        let after = vector.isResponse ? Self.response : Self.request
        let both = read(vector, [(vector.input + after)[...]])
        #expect(both.verdict == whole.verdict)
        #expect(both.head == whole.head)
        if whole.endsByClosing {
            #expect(both.content == whole.content + after)
        } else {
            #expect(both.content == whole.content)
            #expect(both.byteCount == whole.byteCount)
        }
    }

    private func read(
        _ vector: VectorCase, _ pieces: [ArraySlice<UInt8>], scanned: Bool = false
    ) -> MessageReading {
        var reading = MessageReading(vector.kind, limits: vector.limits)
        for piece in pieces { reading.receive(piece, scanned: scanned) }
        reading.peerClosed()
        return reading
    }

    /// Every place, but of a long message all near its ends and fifty between.
    private func places(_ count: Int) -> [Int] {
        guard count > 2000 else { return Array(0...count) }
        let between = stride(from: 100, to: count - 100, by: (count - 200) / 50)
        return Array(0..<100) + Array(between) + Array(count - 100...count)
    }
}

extension VectorCase {
    var isMessage: Bool {
        switch kind {
        case .request, .response, .body: true
        case .forward, .answer, .reuse, .token: false
        }
    }

    var isResponse: Bool {
        if case .response = kind { true } else { false }
    }

    var isBody: Bool {
        if case .body = kind { true } else { false }
    }

    /// What the reading shows otherwise than the case says.
    func faults(in reading: MessageReading) -> [String] {
        var faults: [String] = []
        if reading.verdict != verdict { faults.append("it is \(reading.verdict), not \(verdict)") }
        for name in Set(parts.map(\.name)).subtracting(["content", "rest"]) {
            let expected = values(of: name) ?? []
            let seen = reading.head.filter { $0.name == name }.map(\.value)
            if seen != expected {
                faults.append("\(name) is \(seen.map(ByteText.text)), not \(expected.map(ByteText.text))")
            }
        }
        let rest = values(of: "rest")?.first ?? []
        if Array(reading.rest) != rest { faults.append("what is left is \(ByteText.text(reading.rest))") }
        guard verdict == .accepted else { return faults }
        if reading.content != values(of: "content")?.first ?? [] {
            faults.append("the content is \(ByteText.text(reading.content.prefix(200)))")
        }
        if !isBody, parts.isEmpty { faults.append("the case says nothing of what is seen") }
        return faults
    }
}

extension MessageReading {
    var endsByClosing: Bool { head.contains { $0 == VectorCase.Part("framing", "until-close") } }
}

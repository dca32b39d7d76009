import HTTPWire
import ProxyCore
import Testing
import TokenManager
import Vectors

@Suite struct VectorTests {
    private static let cases = (try? VectorFile.all()) ?? []

    @Test("A request is forwarded as its case says", arguments: cases.filter { $0.kind == .forward })
    func forward(_ vector: VectorCase) throws {
        guard try whole(vector) else { return }
        let forwarding = Forwarding(
            origin: try origin(vector), credential: credential(vector),
            keepsAuthorization: vector.settings["keeps"] != nil)
        let (text, carriesOwn) = try forwarding.forward(latin1(vector.input))
        #expect(ByteText.text(latin1(text)) == ByteText.text(vector.output))
        if let expected = vector.values(of: "own-credential") {
            #expect(expected == [latin1(carriesOwn ? "yes" : "no")])
        }
        // Whatever leaves is one head to a second reader, framed as the first.
        let sent = latin1(text)
        let head = try #require(try RequestHead.parse(sent.span, limits: HeadLimits()))
        let received = try #require(try RequestHead.parse(vector.input.span, limits: HeadLimits()))
        #expect(head.byteCount == sent.count)
        #expect(head.framing == received.framing)
        #expect(head.isPersistent)
    }

    @Test("A response is passed on as its case says", arguments: cases.filter(\.isAnswer))
    func answer(_ vector: VectorCase) throws {
        guard try whole(vector), case .answer(let method) = vector.kind else { return }
        let bytes = vector.input
        let head = try #require(try ResponseHead.parse(bytes.span, answering: method, limits: HeadLimits()))
        var out = OutputBuffer()
        if head.status < 200 {
            DownstreamResponseHead.appendInterim(head, in: bytes.span, to: &out)
        } else {
            let written = DownstreamResponseHead(
                head, in: bytes.span,
                answering: .init(
                    version: vector.settings["client"] == "1.0" ? .http10 : .http11,
                    isPersistent: vector.settings["persistent"] != "no",
                    isComplete: vector.settings["request"] != "unfinished"),
                draining: vector.settings["draining"] != nil, to: &out)
            #expect(vector.values(of: "persistent") == [latin1(written.isPersistent ? "yes" : "no")])
            #expect(vector.values(of: "framing") == [latin1(MessageParts.framing(written.framing))])
        }
        let text = out.text
        #expect(ByteText.text(latin1(text)) == ByteText.text(vector.output))
        let sent = latin1(text)
        let again = try #require(try ResponseHead.parse(sent.span, answering: method, limits: HeadLimits()))
        #expect(again.byteCount == sent.count)
        #expect(again.status == head.status)
    }

    /// The backend's side of the decision: the heads, the machine of the exchange and what is left over, together.
    @Test("A connection is used again only as its case says", arguments: cases.filter(\.isReuse))
    func reuse(_ vector: VectorCase) throws {
        guard case .reuse(let method) = vector.kind else { return }
        var reading = MessageReading(vector.kind)
        reading.receive(vector.input)
        var machine = ExchangeStateMachine.awaitingHead
        _ = machine.headReceived(needsCredential: false)
        machine.upstreamAcquired()
        if vector.settings["request"] != "unfinished" { machine.requestSent() }
        let isClean = reading.verdict == .accepted && reading.rest.isEmpty
        guard isClean else {
            #expect(vector.verdict == .closed)
            return
        }
        let head = try #require(try ResponseHead.parse(vector.input.span, answering: method, limits: HeadLimits()))
        machine.responseHeadReceived()
        let isKept = machine.responseEnded() == .reuse && head.isPersistent
        #expect(vector.verdict == (isKept ? .kept : .closed))
    }

    @Test("A token is checked before it is ever written", arguments: cases.filter { $0.kind == .token })
    func token(_ vector: VectorCase) {
        let isToken = FieldText.isBearerToken(String(decoding: vector.input, as: UTF8.self))
        #expect(isToken == (vector.verdict == .accepted))
    }

    /// Whether the parser accepts the message; if not, whether it refuses it as the case says.
    private func whole(_ vector: VectorCase) throws -> Bool {
        var reading = MessageReading(vector.kind)
        reading.receive(vector.input)
        if case .refused = reading.verdict {
            #expect(reading.verdict == vector.verdict)
            return false
        }
        #expect(vector.verdict == .accepted)
        #expect(!reading.head.isEmpty, "the head is not whole")
        return vector.verdict == .accepted
    }

    private func origin(_ vector: VectorCase) throws -> Origin {
        guard let text = vector.settings["origin"] else { return Forwarding().origin }
        let scheme = try #require(Scheme(rawValue: String(text.prefix { $0 != ":" })))
        let colon = try #require(text.lastIndex(of: ":"))
        let port = try #require(UInt16(text[text.index(after: colon)...]))
        let host = text[..<colon].dropFirst(scheme.rawValue.count + 3)
        return Origin(scheme: scheme, host: String(host), port: port)
    }

    private func credential(_ vector: VectorCase) -> String? {
        let name = vector.settings["credential"] ?? "Authorization"
        return name == "none" ? nil : name
    }
}

extension VectorCase {
    var isAnswer: Bool {
        if case .answer = kind { true } else { false }
    }

    var isReuse: Bool {
        if case .reuse = kind { true } else { false }
    }
}

package import HTTPWire

/// What our parser makes of one message that comes in pieces, read as a connection reads it.
package struct MessageReading: Equatable, Sendable {
    /// The head, once it is there, as parts that can be compared.
    package private(set) var head: [VectorCase.Part] = []
    package private(set) var content: [UInt8] = []
    package private(set) var verdict = VectorCase.Verdict.incomplete
    /// How many bytes the message has; meaningful when it was accepted.
    package private(set) var byteCount = 0
    /// Whether the scanner for heads in pieces told of the head's end no later than the parser.
    package private(set) var isScannedInTime = true

    private let kind: VectorCase.Kind
    private let limits: HeadLimits
    private var received: [UInt8] = []
    private var decoder: BodyDecoder?
    private var offset = 0
    private var scanner: HeadScanner

    package init(_ kind: VectorCase.Kind, limits: HeadLimits = HeadLimits()) {
        self.kind = kind
        self.limits = limits
        scanner = HeadScanner(limits: limits)
        if case .body(let framing) = kind { decoder = BodyDecoder(framing) }
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.head == other.head && one.content == other.content && one.verdict == other.verdict
            && one.byteCount == other.byteCount
    }

    /// Takes the next bytes of the connection, and reads on as far as the message goes.
    ///
    /// With `scanned` the head is parsed only when the scanner says so, as the proxy does.
    package mutating func receive(_ bytes: some Sequence<UInt8>, scanned: Bool = false) {
        received += bytes
        guard verdict == .incomplete else { return }
        do throws(MessageError) {
            if decoder == nil {
                let bytes = received
                let isTime = scanner.scan(bytes.span)
                guard isTime || !scanned else { return }
                try readHead()
                if decoder != nil, !isTime { isScannedInTime = false }
            }
            try readBody()
        } catch {
            refuse(error)
        }
    }

    /// The peer closed its side in order.
    package mutating func peerClosed() {
        guard verdict == .incomplete, decoder != nil else { return }
        do throws(MessageError) {
            try decoder?.peerClosed()
            try readBody()
        } catch {
            // A message cut short stays incomplete.
        }
    }

    /// The bytes after the message.
    package var rest: ArraySlice<UInt8> { verdict == .accepted ? received[byteCount...] : [] }

    private mutating func readHead() throws(MessageError) {
        switch kind {
        case .response(let method), .answer(let method), .reuse(let method):
            guard let head = try ResponseHead.parse(received.span, answering: method, limits: limits) else { return }
            self.head = MessageParts.of(head, received)
            begin(head.framing, after: head.byteCount)
        case .request, .forward, .body, .token:
            guard let head = try RequestHead.parse(received.span, limits: limits) else { return }
            self.head = MessageParts.of(head, received)
            begin(head.framing, after: head.byteCount)
        }
    }

    private mutating func begin(_ framing: BodyFraming, after count: Int) {
        decoder = BodyDecoder(framing)
        offset = count
    }

    private mutating func readBody() throws(MessageError) {
        guard var decoder else { return }
        let received = received
        var offset = offset
        defer {
            self.decoder = decoder
            self.offset = offset
        }
        while true {
            switch try decoder.next(in: received.span, at: &offset) {
            case .data(let range): content += received[range]
            case .needMore: return
            case .end:
                byteCount = offset
                verdict = .accepted
                return
            }
        }
    }

    private mutating func refuse(_ error: MessageError) {
        let isRequest = kind == .request || kind == .forward
        var status = isRequest ? error.status : 502
        if case .body = kind { status = error.status }
        verdict = .refused(status: status, reason: "\(error)")
    }
}

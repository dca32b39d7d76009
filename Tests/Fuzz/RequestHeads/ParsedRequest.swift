@testable import HTTPWire

/// Everything that a parsed request head says, without offsets, so that two of them can be compared.
struct ParsedRequest: Equatable {
    var method: String
    var kind: Method
    var target: String
    /// Host, port and path as the parser understood them.
    var parts: [String]
    var version: HTTPVersion
    var lines: [[String]]
    var known: [FieldName]
    var framing: BodyFraming
    var connection: ConnectionOptions
    var expectsContinue: Bool
    var isPersistent: Bool
    /// The field lines as they are written to a backend.
    var written: [UInt8]

    static func parse(_ bytes: [UInt8], _ limits: HeadLimits) -> Verdict<ParsedRequest> {
        do throws(MessageError) {
            guard let head = try RequestHead.parse(bytes.span, limits: limits) else { return .needsMore }
            return .accepted(ParsedRequest(head, in: bytes), byteCount: head.byteCount)
        } catch {
            return .refused(error)
        }
    }

    init(_ head: borrowing RequestHead, in bytes: [UInt8]) {
        method = bytes.text(head.methodName)
        kind = head.method
        target = bytes.text(head.targetText)
        parts =
            switch head.target {
            case .origin(let path): ["origin", bytes.text(path)]
            case .absolute(let scheme, let host, let port, let path):
                ["\(scheme)", bytes.text(host), port.map { "\($0)" } ?? "", bytes.text(path)]
            case .authority(let host, let port): ["authority", bytes.text(host), "\(port)"]
            case .asterisk: ["*"]
            }
        version = head.version
        lines = []
        known = []
        var buffer = OutputBuffer()
        for index in 0..<head.fields.count {
            let line = head.fields[index]
            lines.append([bytes.text(line.name), bytes.text(line.value)])
            known.append(line.known)
            buffer.append(line, of: bytes.span)
        }
        framing = head.framing
        connection = head.connection
        expectsContinue = head.expectsContinue
        isPersistent = head.isPersistent
        written = buffer.withSpan { span in
            var bytes: [UInt8] = []
            bytes.append(copying: span)
            return bytes
        }
    }

    /// Requires that the head, written as the proxy writes, is read as the same head.
    func requireSameAnew(_ limits: HeadLimits) {
        let line = Array(
            "\(method) \(target) HTTP/1.\(version == .http11 ? 1 : 0)\r\n".unicodeScalars.map { UInt8($0.value) })
        let bytes = line + written + [13, 10]
        // A space behind each colon may lift it over the limit.
        guard bytes.count < limits.headBytes else { return }
        let again = Self.parse(bytes, limits)
        require(again == .accepted(self, byteCount: bytes.count), "a head written anew is another: \(again)")
    }

    /// Requires RFC 9112 sections 2 to 6 of a head that was accepted.
    func requireGrammar(of bytes: [UInt8], _ limits: HeadLimits) {
        let text = HeadText(bytes)
        let words = text.startLine.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        require(words.count == 3, "a request line is not three words")
        require(HeadText.isToken(words[0]) && words[0] == method, "the method is no token")
        require(words[1] == target && !target.isEmpty, "the target is another")
        require(
            target.unicodeScalars.allSatisfy { (0x21...0x7e).contains($0.value) && $0 != "#" }, "the target's bytes")
        require(words[2] == (version == .http11 ? "HTTP/1.1" : "HTTP/1.0"), "the version is another")
        require(text.fields.count <= limits.fieldCount, "more fields than the limit")
        require(lines == text.fields.map { [$0.name, $0.value] }, "the fields are others")
        let hosts = text.values("host")
        require(hosts.count <= 1 && (version == .http10 || hosts.count == 1), "\(hosts.count) Host fields")
        require((hosts.first ?? "").unicodeScalars.allSatisfy(Self.isHostByte), "a Host with a byte that no host has")
        text.requireClearFraming(isHTTP11: version == .http11)
        let expected: BodyFraming =
            if kind == .connect {
                .none
            } else if !text.values("transfer-encoding").isEmpty {
                .chunked
            } else if let length = text.values("content-length").first {
                UInt64(length).map { .length($0) } ?? .untilClose
            } else {
                .none
            }
        require(framing == expected, "the framing is \(framing), not \(expected)")
        requireTarget()
    }

    private func requireTarget() {
        if parts[0] == "http" || parts[0] == "https" {
            require(!parts[1].isEmpty && parts[1].unicodeScalars.allSatisfy(Self.isHostByte), "the target's host")
            require(parts[2].isEmpty || (1...65_535).contains(Int(parts[2]) ?? 0), "the target's port")
            require(parts[3].isEmpty || parts[3].hasPrefix("/") || parts[3].hasPrefix("?"), "the target's path")
            require(target.hasSuffix(parts[3]), "the path's bytes are others")
            let prefix = target.dropLast(parts[3].count).lowercased()
            require(prefix.hasPrefix("\(parts[0])://\(parts[1].lowercased())"), "the target's host is another")
            require(!parts[2].isEmpty == (prefix != "\(parts[0])://\(parts[1].lowercased())"), "the port is lost")
        }
        require((parts[0] == "authority") == (kind == .connect), "an authority with another method than CONNECT")
        require(parts[0] != "*" || kind == .options, "an asterisk with another method than OPTIONS")
    }

    private static func isHostByte(_ scalar: Unicode.Scalar) -> Bool {
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:[]".unicodeScalars.contains(scalar)
    }
}

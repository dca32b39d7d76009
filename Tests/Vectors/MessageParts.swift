package import HTTPWire

/// What a head says, as the parts that a vector file names.
package enum MessageParts {
    typealias Part = VectorCase.Part

    static func of(_ head: RequestHead, _ bytes: [UInt8]) -> [Part] {
        [
            Part("method", of(head.methodName, bytes)), Part("target", target(head.target, bytes)),
            Part("version", head.version == .http11 ? "1.1" : "1.0"), Part("framing", framing(head.framing)),
            Part("options", options(head.connection)), Part("persistent", head.isPersistent ? "yes" : "no"),
            Part("expects-continue", head.expectsContinue ? "yes" : "no"),
        ] + fields(head.fields, bytes)
    }

    static func of(_ head: ResponseHead, _ bytes: [UInt8]) -> [Part] {
        [
            Part("version", head.version == .http11 ? "1.1" : "1.0"), Part("status", "\(head.status)"),
            Part("reason", of(head.reason, bytes)), Part("framing", framing(head.framing)),
            Part("options", options(head.connection)), Part("persistent", head.isPersistent ? "yes" : "no"),
            Part("keep-alive", head.keepAliveTimeout.map { "\($0)" } ?? "none"),
        ] + fields(head.fields, bytes)
    }

    private static func of(_ range: ByteRange, _ bytes: [UInt8]) -> [UInt8] {
        Array(bytes[range.lowerBound..<range.upperBound])
    }

    private static func fields(_ fields: FieldLines, _ bytes: [UInt8]) -> [Part] {
        (0..<fields.count).map { index in
            let line = fields[index]
            return Part("field", of(line.name, bytes) + Array(": ".utf8) + of(line.value, bytes))
        }
    }

    private static func target(_ target: RequestTarget, _ bytes: [UInt8]) -> [UInt8] {
        let space = Array(" ".utf8)
        switch target {
        case .origin(let path): return Array("origin ".utf8) + of(path, bytes)
        case .absolute(let scheme, let host, let port, let path):
            let port = Array((port.map { "\($0)" } ?? "-").utf8)
            return Array("\(scheme) ".utf8) + of(host, bytes) + space + port + space + of(path, bytes)
        case .authority(let host, let port): return Array("authority ".utf8) + of(host, bytes) + Array(" \(port)".utf8)
        case .asterisk: return Array("asterisk".utf8)
        }
    }

    package static func framing(_ framing: BodyFraming) -> String {
        switch framing {
        case .none: "none"
        case .length(let count): "length \(count)"
        case .chunked: "chunked"
        case .untilClose: "until-close"
        }
    }

    private static func options(_ options: ConnectionOptions) -> String {
        let names: [(ConnectionOptions, String)] = [
            (.close, "close"), (.keepAlive, "keep-alive"), (.upgrade, "upgrade"), (.namesFields, "names"),
        ]
        return names.filter { options.contains($0.0) }.map(\.1).joined(separator: " ")
    }
}

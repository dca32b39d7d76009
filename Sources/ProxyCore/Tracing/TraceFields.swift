package import HTTPWire

/// The trace that a request's fields name (W3C Trace Context, section 3).
package enum TraceFields {
    package static let parentName = "traceparent"
    package static let stateName = "tracestate"
    static let names = [Array(parentName.utf8), Array(stateName.utf8)]

    /// The app's `traceparent`; nil if the request has none, several, or an invalid one.
    package static func parent(of fields: FieldLines, in bytes: Span<UInt8>) -> TraceParent? {
        var found: FieldLine?
        for index in 0..<fields.count where isNamed(fields[index], parentName, in: bytes) {
            guard found == nil else { return nil }
            found = fields[index]
        }
        return found.flatMap { TraceParent(bytes, $0.value) }
    }

    static func isNamed(_ field: FieldLine, _ name: String, in bytes: Span<UInt8>) -> Bool {
        field.known == .other && field.name.count == name.utf8.count
            && ASCII.equalsIgnoringCase(bytes, field.name, name)
    }
}

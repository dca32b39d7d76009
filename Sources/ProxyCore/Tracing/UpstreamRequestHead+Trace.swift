package import HTTPWire

/// The head of a traced request.
extension UpstreamRequestHead {
    /// Appends the whole head with the lines that tell the backend of the trace; the credential stays the last field.
    ///
    /// The head must be made by `Rules.traced`, or the backend could get two traces.
    package func append(
        traced lines: [UInt8], with credential: AuthorizationLine?, proof: String?, to out: inout OutputBuffer
    ) {
        out.append(copying: endToEnd)
        out.append(copying: lines.span)
        if let credential { credential.append(proof: proof, to: &out) } else { out.appendCRLF() }
    }

    /// Appends the path that the backend gets, without its query, as the inside of a JSON string.
    package func appendPathForLog(to out: inout OutputBuffer) {
        endToEnd.withSpan { out.append(targetForLog: $0, target) }
    }
}

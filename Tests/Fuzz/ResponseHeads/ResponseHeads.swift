@testable import HTTPWire

/// Any bytes as the beginning of what a backend sends, to each kind of request that changes their meaning.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzResponseHead(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = fuzzInput(start, count)
    let (usual, narrow) = (HeadLimits.tried[0], HeadLimits.tried[1])
    for (method, limits) in [(Method.get, usual), (.head, narrow), (.connect, narrow)] {
        let verdict = Verdict.requireSameInPieces(bytes, limits: limits) { ParsedResponse.parse($0, method, limits) }
        guard case .accepted(let response, let byteCount) = verdict else { continue }
        require(byteCount <= limits.headBytes, "a head over the limit is accepted")
        response.requireGrammar(of: Array(bytes[..<byteCount]), answering: method, limits)
        response.requireSameAnew(answering: method, limits)
    }
    return 0
}

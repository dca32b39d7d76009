@testable import HTTPWire

/// Any bytes as the beginning of what an app sends.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequestHead(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = fuzzInput(start, count)
    for limits in HeadLimits.tried {
        let verdict = Verdict.requireSameInPieces(bytes, limits: limits) { ParsedRequest.parse($0, limits) }
        guard case .accepted(let request, let byteCount) = verdict else { continue }
        require(byteCount <= limits.headBytes, "a head over the limit is accepted")
        request.requireGrammar(of: Array(bytes[..<byteCount]), limits)
        request.requireSameAnew(limits)
    }
    return 0
}

import Support
import Testing

/// Checks that a response is the proxy's own: `Proxy-Status` (RFC 9209) and a problem document (RFC 9457) of this status.
func expectOwnAnswer(
    _ response: ReceivedResponse, _ status: Int, mentions words: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(response.status == status, "\(response)", sourceLocation: sourceLocation)
    #expect(response.fields["Proxy-Status"] != nil, "\(response)", sourceLocation: sourceLocation)
    #expect(response.fields.all("Content-Type") == ["application/problem+json"], sourceLocation: sourceLocation)
    let problem = try JSON(response.text)
    #expect(problem["status"]?.number == Double(status), sourceLocation: sourceLocation)
    #expect(problem["title"]?.string?.isEmpty == false, sourceLocation: sourceLocation)
    for word in words {
        #expect(response.text.contains(word), "no \(word) in \(response.text)", sourceLocation: sourceLocation)
    }
}

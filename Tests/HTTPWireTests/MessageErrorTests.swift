import HTTPWire
import Testing

@Suite struct MessageErrorTests {
    @Test(
        "Each refusal has the status of its kind",
        arguments: [
            (MessageError.malformedRequestLine, 400), (.userInformation, 400), (.conflictingFraming, 400),
            (.transferEncodingInHTTP10, 400), (.malformedTransferEncoding, 400), (.missingHost, 400),
            (.targetTooLong, 414), (.headTooLarge, 431), (.tooManyFields, 431), (.trailersTooLarge, 431),
            (.unsupportedTransferCoding, 501), (.unsupportedVersion, 505),
        ])
    func status(_ error: MessageError, _ expected: Int) {
        #expect(error.status == expected)
    }

    @Test("Each refusal has a sentence that says what was wrong", arguments: MessageError.allCases)
    func reason(_ error: MessageError) {
        #expect(error.reason.hasSuffix("."))
        #expect(error.reason.first?.isUppercase == true)
        #expect([400, 413, 414, 431, 501, 505].contains(error.status))
    }
}

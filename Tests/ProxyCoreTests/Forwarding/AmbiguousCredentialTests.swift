import Testing

@Suite struct AmbiguousCredentialTests {
    @Test("Two lines with a credential are ambiguous if both would be forwarded, and only then")
    func ambiguous() throws {
        let two = ("Authorization: Basic own", "authorization: Bearer other")
        #expect(try Forwarding(keepsAuthorization: true).isAmbiguous(two.0, two.1))
        #expect(try Forwarding(credential: nil).isAmbiguous(two.0, two.1))
        let otherField = Forwarding(credential: "X-Api-Key", keepsAuthorization: true)
        #expect(try otherField.isAmbiguous("X-Api-Key: a", "x-api-key: b"))
        #expect(try otherField.isAmbiguous(two.0, two.1))
        #expect(try !Forwarding().isAmbiguous(two.0, two.1))
        #expect(try !Forwarding(credential: "X-Api-Key").isAmbiguous("X-Api-Key: a", "x-api-key: b", two.0, two.1))
        #expect(try !Forwarding(keepsAuthorization: true).isAmbiguous(two.0, "Connection: authorization", two.1))
        #expect(try otherField.isAmbiguous("X-Api-Key: a", two.0))
        #expect(try !otherField.isAmbiguous("X_Api_Key: a", two.0))
    }
}

import Testing

@testable import TokenManager

@Suite struct FetchCountsTests {
    private final class Entry {}

    @Test func `A value's fetch counts as such, whoever holds its key at its end`() {
        let entry = Entry()
        var counts = FetchCounts()
        counts.began(ObjectIdentifier(entry), isOfVariants: true)
        counts.abandoned(ObjectIdentifier(entry))
        #expect((counts.variantCount, counts.exempt) == (1, 1))
        counts.ended(ObjectIdentifier(entry))
        #expect((counts.variantCount, counts.exempt) == (0, 0))
    }

    @Test func `A configured credential's fetch is exempt only while its key has no holder`() {
        let entry = Entry()
        var counts = FetchCounts()
        counts.began(ObjectIdentifier(entry), isOfVariants: false)
        #expect(counts.exempt == 0)
        counts.abandoned(ObjectIdentifier(entry))
        counts.abandoned(ObjectIdentifier(entry))
        #expect((counts.variantCount, counts.exempt) == (0, 1))
        counts.settled(ObjectIdentifier(entry))
        #expect(counts.exempt == 0)
    }
}

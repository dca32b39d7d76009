import Testing

@testable import TokenManager

@Suite struct FetchTallyTests {
    private static let good = FetchedToken(refreshAt: nil, usableUntil: nil)

    @Test func `Results are counted, and a success clears the last error`() {
        var tally = FetchTally(nil)
        tally.count(.failure(FailedFetch(TokenError(kind: .stopped, message: "m", retryAfter: .seconds(3)))))
        tally.countRefusedRequest()
        #expect((tally.succeeded, tally.failed) == (0, 2))
        #expect(tally.lastError == TokenError(kind: .stopped, message: "m"))
        tally.count(.success(Self.good))
        #expect((tally.succeeded, tally.failed) == (1, 2))
        #expect(tally.lastError == nil)
    }

    @Test func `A success reports the failures that it ended, once`() {
        var tally = FetchTally(nil)
        #expect(tally.fetchSucceeded(Sample.start) == nil)
        tally.fetchFailed(Sample.at(1))
        tally.fetchFailed(Sample.at(4))
        #expect(
            tally.fetchSucceeded(Sample.at(9)) == FetchedToken.Recovery(duration: .seconds(8), attempts: 3))
        #expect(tally.fetchSucceeded(Sample.at(10)) == nil)
    }

    @Test func `A credential that joins another's token shares its error, under its own name`() {
        var other = FetchTally(nil)
        other.count(.failure(FailedFetch(TokenError(credential: "b", kind: .stopped, message: "m"))))
        other.fetchFailed(Sample.start)
        var tally = FetchTally(nil)
        tally.join(other, as: "a")
        #expect(tally.lastError?.credential == "a")
        #expect(tally.failed == 0)
        #expect(tally.fetchSucceeded(Sample.at(1))?.attempts == 2)
    }

    @Test func `A value that is readable again clears only its own error`() {
        let error = TokenError(kind: .secretUnreadable, message: "m")
        var tally = FetchTally(error)
        tally.recover(from: TokenError(kind: .secretUnreadable, message: "other"))
        #expect(tally.lastError == error)
        tally.recover(from: error)
        #expect(tally.lastError == nil)
    }
}

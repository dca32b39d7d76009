import Testing

@testable import TokenManager

@Suite struct SecretWatchTests {
    private static func texts(_ secret: String, refreshToken: String? = nil) -> SecretTexts {
        var texts = SecretTexts([.clientSecret: SecretText(secret)])
        texts[.refreshToken] = refreshToken.map { SecretText($0) }
        return texts
    }

    @Test func `Files are read every second, any other source once`() {
        for isWatched in [true, false] {
            var watch = SecretWatch(isWatched: isWatched)
            #expect(watch.isDue(at: Sample.start) == true)
            #expect(watch.begin(Sample.start) == .read)
            #expect(watch.begin(Sample.start) == .none)
            #expect(watch.ended() == .use)
            #expect(watch.isDue(at: Sample.at(0.9)) == false)
            #expect(watch.isDue(at: Sample.at(1)) == isWatched)
        }
    }

    @Test func `A read that takes too long is reported once, with the place that hangs`() {
        var watch = SecretWatch(isWatched: true)
        _ = watch.begin(Sample.start)
        watch.reached(.file(path: "/one"))
        watch.reached(.file(path: "/two"))
        #expect(watch.timedOut()?.message.contains("/two could not be read for 10 s") == true)
        #expect(watch.timedOut() == nil)
        #expect(watch.isAwaited == false)
        #expect(watch.ended() == .none)
    }

    @Test func `A read during which this process began to write is not used, and no caller waits for it`() {
        var watch = SecretWatch(isWatched: true)
        _ = watch.begin(Sample.start)
        #expect(watch.isAwaited == true)
        watch.writingBegan()
        #expect(watch.isAwaited == false)
        #expect(watch.ended() == .none)
    }

    @Test func `Secrets count once, until they change`() {
        var watch = SecretWatch(isWatched: true)
        let first = Self.texts("s1")
        #expect(
            watch.secretsRead(first, inUse: nil, isSpending: false) == .use(first, isRefreshTokenNew: false))
        #expect(watch.secretsRead(first, inUse: first, isSpending: false) == .nothingNew)
        let second = Self.texts("s2")
        #expect(
            watch.secretsRead(second, inUse: first, isSpending: false) == .use(second, isRefreshTokenNew: false))
    }

    @Test func `The refresh token in use stays in use while its file is unchanged`() {
        var watch = SecretWatch(isWatched: true)
        _ = watch.secretsRead(Self.texts("s1", refreshToken: "r1"), inUse: nil, isSpending: false)
        let inUse = Self.texts("s1", refreshToken: "r2")
        #expect(
            watch.secretsRead(Self.texts("s2", refreshToken: "r1"), inUse: inUse, isSpending: false)
                == .use(Self.texts("s2", refreshToken: "r2"), isRefreshTokenNew: false))
        let given = Self.texts("s2", refreshToken: "r9")
        #expect(
            watch.secretsRead(given, inUse: inUse, isSpending: true) == .use(given, isRefreshTokenNew: true))
    }

    @Test func `Other secrets wait for the response to the refresh token that was sent`() {
        var watch = SecretWatch(isWatched: true)
        let first = Self.texts("s1", refreshToken: "r1")
        let second = Self.texts("s2", refreshToken: "r1")
        _ = watch.secretsRead(first, inUse: nil, isSpending: false)
        #expect(watch.secretsRead(second, inUse: first, isSpending: true) == .tooEarly)
        #expect(
            watch.secretsRead(second, inUse: first, isSpending: false) == .use(second, isRefreshTokenNew: false))
    }

    @Test func `A secret that this process has written is not new`() {
        var watch = SecretWatch(isWatched: true)
        _ = watch.secretsRead(Self.texts("s1", refreshToken: "r1"), inUse: nil, isSpending: false)
        watch.refreshTokenWritten(SecretText("r2"))
        let found = Self.texts("s1", refreshToken: "r2")
        #expect(watch.secretsRead(found, inUse: found, isSpending: false) == .nothingNew)
    }

    @Test func `A failure is new until it has been reported, and again after it has ended`() {
        var watch = SecretWatch(isWatched: true)
        let error = TokenError(kind: .secretUnreadable, message: "m")
        #expect(watch.failed(error, Sample.start) == true)
        #expect(watch.failed(error, Sample.at(1)) == false)
        let recovered = watch.recovered(Sample.at(3))
        #expect(recovered.error == error)
        #expect(recovered.after == .seconds(3))
        #expect(watch.recovered(Sample.at(4)).after == nil)
        #expect(watch.failed(error, Sample.at(5)) == true)
    }
}

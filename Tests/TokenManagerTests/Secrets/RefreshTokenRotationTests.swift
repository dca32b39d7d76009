import Testing

@testable import TokenManager

@Suite struct RefreshTokenRotationTests {
    private static let error = TokenError(kind: .secretUnwritable, message: "m")

    @Test func `A replaced refresh token is unsaved until it is written`() {
        var rotation = RefreshTokenRotation(path: "/r")
        #expect(rotation.replaced() == .write)
        #expect(rotation.isUnsaved == true)
        #expect(rotation.isUnderWay == true)
        #expect(rotation.replaced() == .none)
        #expect(rotation.writingEnded(nil, Sample.start) == .writeAgain)
        #expect(rotation.writingEnded(nil, Sample.start) == .none)
        #expect(rotation.isUnsaved == false)
    }

    @Test func `A failed write is repeated after a minute, and at the end`() {
        var rotation = RefreshTokenRotation(path: "/r")
        _ = rotation.replaced()
        #expect(rotation.writingEnded(Self.error, Sample.start) == .report(Self.error))
        #expect(rotation.error == Self.error)
        #expect(rotation.timeReached(Sample.at(59)) == .none)
        #expect(rotation.timeReached(Sample.at(60)) == .write)
        #expect(rotation.writingEnded(Self.error, Sample.at(61)) == .none)
        #expect(rotation.triedNow() == .write)
    }

    @Test func `A refresh token that cannot be kept is reported once, with its file and what to do`() {
        var rotation = RefreshTokenRotation(path: "/r")
        let error = rotation.lost("is empty", "a")
        #expect(error?.credential == "a")
        #expect(error?.message.contains("/r") == true)
        #expect(rotation.lost("is empty", "a") == nil)
        rotation.usedAgain()
        #expect(rotation.error == nil)
    }

    @Test func `The replacement of the refresh token by another process is reported once`() {
        var rotation = RefreshTokenRotation(path: "/r")
        #expect(rotation.replacedByAnother() == "/r")
        #expect(rotation.replacedByAnother() == nil)
    }

    @Test func `A credential without such a file loses nothing`() {
        var rotation = RefreshTokenRotation(path: nil)
        #expect(rotation.lost("is empty", "a") == nil)
        #expect(rotation.error == nil)
    }
}

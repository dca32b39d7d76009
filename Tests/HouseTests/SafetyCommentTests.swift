import Testing

@Suite("Unsafe sites")
struct SafetyCommentTests {
    @Test(
        "A SAFETY comment covers every unsafe expression, and every promise that the compiler does not check")
    func everyUnsafeSiteIsExplained() {
        for file in SourceFile.shipped {
            let comment = SafetyComment(file: file)
            let bare = file.code.indices.filter { SafetyComment.isAsked(for: file.code[$0]) && !comment.covers($0) }
            guard !bare.isEmpty else { continue }
            Issue.record(
                "\(file.path), lines \(bare.map { $0 + 1 }): no SAFETY comment says what holds and who keeps it")
        }
    }

    @Test(
        "Every construct that the compiler does not check needs a comment",
        arguments: [
            "unsafe a()", "a(unsafe b)", "return unsafe a()", "[unsafe a]", "final class A: @unchecked Sendable {",
            "@safe", "@safe var a: Int {", "nonisolated(unsafe) var a = 0", "@unsafe func a()",
        ])
    func asked(line: String) {
        #expect(SafetyComment.isAsked(for: line))
    }

    @Test(
        "No other construct needs one",
        arguments: ["let isUnsafe = true", "@safely", "unsafely()", "struct A: Sendable {"])
    func notAsked(line: String) {
        #expect(!SafetyComment.isAsked(for: line))
    }

    @Test("The comment may be in the function, above it, or above the type")
    func covered() {
        let file = SourceFile(path: "Sources/A/A.swift", text: Self.sample)
        let comment = SafetyComment(file: file)
        let unsafe = file.code.indices.filter { file.code[$0].contains("unsafe ") }
        let found = unsafe.map { "\(file.lines[$0].drop { $0 == " " }) \(comment.covers($0))" }
        #expect(
            found == [
                "unsafe a() true", "unsafe b() true", "unsafe c() false", "@safe var member: Int { unsafe g() } true",
                "unsafe d() true", "unsafe e() true",
                "unsafe f() false",
            ])
    }

    private static let sample = """
        struct One {
            func inside() {
                // SAFETY: in the function.
                if ready {
                    unsafe a()
                }
            }

            // SAFETY: above a function of several lines.
            func above(
                one: Int
            ) {
                unsafe b()
            }

            func without() {
                unsafe c()
            }

            // SAFETY: above a member of one line.
            @safe var member: Int { unsafe g() }
        }

        // SAFETY: above the type.
        @safe
        struct Two {
            init() {
                unsafe d()
            }

            struct Inner {
                func nested() { }
                init() {
                    unsafe e()
                }
            }
        }

        func outermost() {
            unsafe f()
        }
        """
}

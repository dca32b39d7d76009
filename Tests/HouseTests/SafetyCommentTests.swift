import Testing

@Suite("Unsafe sites")
struct SafetyCommentTests {
    @Test("A SAFETY comment answers for every unsafe expression")
    func everyUnsafeSiteIsExplained() {
        let expression = /(?:^|[^(@\w])unsafe(?:$|\W)/
        for file in SourceFile.shipped {
            let comment = SafetyComment(file: file)
            let bare = file.code.indices.filter { file.code[$0].contains(expression) && !comment.covers($0) }
            guard !bare.isEmpty else { continue }
            Issue.record(
                "\(file.path), lines \(bare.map { $0 + 1 }): no SAFETY comment says what holds and who keeps it")
        }
    }

    @Test("It may stand in the function, above it, or above the type")
    func covered() {
        let file = SourceFile(path: "Sources/A/A.swift", text: Self.sample)
        let comment = SafetyComment(file: file)
        let unsafe = file.code.indices.filter { file.code[$0].contains("unsafe ") }
        let found = unsafe.map { "\(file.lines[$0].drop { $0 == " " }) \(comment.covers($0))" }
        #expect(
            found == [
                "unsafe a() true", "unsafe b() true", "unsafe c() false", "unsafe d() true", "unsafe e() true",
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

import Testing
import Vectors

@Suite struct VectorFormatTests {
    private static let good = """
        # A topic.

        --- title
        RFC 9112 3
        request
        | GET / HTTP/1.1
        |
        accepted
          method GET

        """

    @Test("A case is read as it is written")
    func whole() throws {
        let vector = try #require(try VectorFile.cases(in: Self.good, named: "topic.txt").first)
        #expect(vector.description == "topic.txt:3 title")
        #expect(vector.clause == "RFC 9112 3")
        #expect(vector.kind == .request)
        #expect(vector.input == latin1("GET / HTTP/1.1\r\n\r\n"))
        #expect(vector.verdict == .accepted)
        #expect(vector.parts == [VectorCase.Part("method", "GET")])
    }

    @Test(
        "Every escape stands for its bytes",
        arguments: [
            ("a b", "a b"), ("\\r\\n\\t\\0\\\\", "\r\n\t\0\\"), ("\\x00\\xfF\\x7f", "\0\u{FF}\u{7F}"),
            ("\\{3 ab}c", "abababc"), ("\\{2 \\{2 x}\\n}", "xx\nxx\n"), ("", ""),
        ])
    func escapes(_ text: String, _ expected: String) throws {
        #expect(try ByteText.bytes(text) == latin1(expected))
        #expect(try ByteText.bytes(ByteText.text(latin1(expected))) == latin1(expected))
    }

    @Test(
        "A line with a wrong format is reported with its file and number",
        arguments: [
            ("x\n--- title\n", "topic.txt:1"), ("--- a\n--- b\n", "topic.txt:2"),
            (good + "--- title\n", "topic.txt:10"), ("--- a\nc\nreqest\n", "topic.txt:3"),
            ("--- a\nc\nresponse\n", "topic.txt:3"), ("--- a\nc\nresponse to get\n", "topic.txt:3"),
            ("--- a\nc\nbody\n", "topic.txt:3"), ("--- a\nc\nbody length\n", "topic.txt:3"),
            ("--- a\nc\nrequest size=5\n", "topic.txt:3"), ("--- a\nc\n| x\n", "topic.txt:3"),
            ("--- a\nc\nrequest\n| \\q\n", "topic.txt:4"), ("--- a\nc\nrequest\n| \\x4\n", "topic.txt:4"),
            ("--- a\nc\nrequest\n| \\{2 x\n", "topic.txt:4"), ("--- a\nc\nrequest\n| \\{0 x}\n", "topic.txt:4"),
            ("--- a\nc\nrequest\n| \\{2 }\n", "topic.txt:4"), ("--- a\nc\nrequest\n| a\tb\n", "topic.txt:4"),
            ("--- a\nc\nrequest\n| x \n", "topic.txt:4"), ("--- a\nc\nrequest\n| \u{E9}\n", "topic.txt:4"),
            ("--- a\nc\nrequest\n  method GET\n", "topic.txt:4"), ("--- a\nc\nrequest\naccept\n", "topic.txt:4"),
            ("--- a\nc\nrequest\nrefused 400\n", "topic.txt:4"), ("--- a\nc\nrequest\nrefused x y\n", "topic.txt:4"),
            ("--- a\nc\nrequest\naccepted\nkept\n", "topic.txt:5"),
            ("--- a\nc\nrequest\naccepted\n  colour red\n", "topic.txt:5"), ("--- a\nc\nrequest\n", "topic.txt:4"),
            ("--- a\nc\nforward\n| x\naccepted\n", "topic.txt:6"),
            ("--- a\nc\nanswer to GET\n| x\naccepted\n", "topic.txt:6"),
        ])
    func faults(_ text: String, _ place: String) {
        do throws(VectorFault) {
            _ = try VectorFile.cases(in: text, named: "topic.txt")
            Issue.record("it was read")
        } catch {
            #expect(error.place == place, "\(error)")
            #expect(!error.message.isEmpty)
        }
    }
}

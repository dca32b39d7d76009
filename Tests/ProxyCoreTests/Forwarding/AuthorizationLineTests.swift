import HTTPWire
import Testing

@testable import ProxyCore

@Suite struct AuthorizationLineTests {
    private let line = AuthorizationLine(name: "X-Api-KEY", value: "Bearer canary")

    @Test("The line ends a head, followed by a proof if there is one", arguments: [nil, "p"])
    func end(proof: String?) {
        var out = OutputBuffer()
        line.append(proof: proof, to: &out)
        #expect(out.text == "X-Api-KEY: Bearer canary\r\n" + (proof.map { "DPoP: \($0)\r\n" } ?? "") + "\r\n")
    }

    @Test("No way of printing it shows its value")
    func redacted() {
        struct Holder {
            let line: AuthorizationLine
            let lines: [String: AuthorizationLine?]
        }
        let holder = Holder(line: line, lines: ["x": line])
        var dumped = ""
        dump(line, to: &dumped)
        dump(holder, to: &dumped)
        dump([line, line], to: &dumped)
        let texts = [
            "\(line)", "\([line])", "\(holder)", "\(Optional(line) as Any)", String(reflecting: line),
            String(reflecting: holder), String(describing: (line, 1)), dumped, line.description,
            "\(Mirror(reflecting: line).children.map { "\($0)" })",
        ]
        // As text, as numbers and as hexadecimal.
        for text in texts {
            #expect(!text.contains("canary") && !text.contains("99, 97, 110") && !text.contains("63616e"), "\(text)")
            #expect(!text.contains("Bearer"))
        }
        #expect(line.description == "AuthorizationLine(redacted)")
        #expect(Mirror(reflecting: line).children.isEmpty)
    }
}

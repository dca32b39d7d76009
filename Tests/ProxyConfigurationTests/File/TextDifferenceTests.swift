import Support
import Testing

@Suite("The difference shown for an output that is not the recorded one")
struct TextDifferenceTests {
    @Test(
        "Removed, added and common lines are in order",
        arguments: [
            ("", "", [" "]), ("a\n", "a\n", [" a", " "]), ("a\nb\n", "b\n", ["-a", " b", " "]),
            ("a\n", "a\nb\n", [" a", "+b", " "]), ("a\nb\nc", "a\nx\nc", [" a", "-b", "+x", " c"]),
            ("", "a", ["-", "+a"]),
        ])
    func lines(old: String, new: String, expected: [String]) {
        #expect(TextDifference.lines(from: old, to: new) == expected)
    }
}

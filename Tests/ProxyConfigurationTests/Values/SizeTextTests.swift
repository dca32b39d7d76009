import Testing

@testable import ProxyConfiguration

@Suite("Sizes")
struct SizeTextTests {
    @Test(
        "A number with or without a unit makes a size",
        arguments: [
            ("0", 0), ("512", 512), ("512B", 512), ("64KiB", 65_536), ("1MiB", 1_048_576), ("2GiB", 2_147_483_648),
        ])
    func read(text: String, size: Int) throws {
        #expect(try SizeText.parse(text) == size)
    }

    @Test(
        "Everything else is refused",
        arguments: [
            "", "KiB", "64KB", "64k", "64 KiB", "-1", "1.5MiB", "64kib", "9223372036854775807GiB",
            "99999999999999999999",
        ])
    func refused(text: String) {
        #expect(throws: ValueError.self) { try SizeText.parse(text) }
    }

    @Test(
        "A size is written with the largest unit that keeps it whole",
        arguments: [(1000, "1000"), (1024, "1KiB"), (1_048_576, "1MiB"), (0, "0")])
    func written(size: Int, text: String) {
        #expect(SizeText.format(size) == text)
    }
}

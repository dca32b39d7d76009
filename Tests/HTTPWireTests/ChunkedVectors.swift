import HTTPWire

/// RFC 9112 section 7.1: the chunked transfer coding, in bodies that end within their bytes.
enum ChunkedVectors {
    static let all: [BodyVector] = chunks + sizes + lineEnds + extensions + trailers

    private static let chunks: [BodyVector] = [
        BodyVector("7.1 empty", "0\r\n\r\n", .decoded("")),
        BodyVector("7.1 one chunk", "5\r\nhello\r\n0\r\n\r\n", .decoded("hello")),
        BodyVector("7.1 two chunks", "5\r\nhello\r\n7\r\n, world\r\n0\r\n\r\n", .decoded("hello, world")),
        BodyVector(
            "7.1 hexadecimal", "a\r\n0123456789\r\nB\r\n0123456789a\r\n0\r\n\r\n",
            .decoded("01234567890123456789a")),
        BodyVector("7.1 CR LF in the content", "4\r\n\r\n\r\n\r\n0\r\n\r\n", .decoded("\r\n\r\n")),
        BodyVector("7.1 a chunk in the content", "5\r\n0\r\n\r\n\r\n0\r\n\r\n", .decoded("0\r\n\r\n")),
        BodyVector("7.1 binary content", "3\r\n\u{0}\u{FF}\u{80}\r\n0\r\n\r\n", .decoded("\u{0}\u{FF}\u{80}")),
        BodyVector(
            "7.1 size in both cases", "1F\r\n\(String(repeating: "x", count: 31))\r\n0\r\n\r\n",
            .decoded(String(repeating: "x", count: 31))),
        BodyVector("7.1 leading zeros", "0005\r\nhello\r\n000\r\n\r\n", .decoded("hello")),
        BodyVector("7.1 sixteen digits", "0000000000000005\r\nhello\r\n0\r\n\r\n", .decoded("hello")),
    ]

    private static let sizes: [BodyVector] = [
        BodyVector("7.1 seventeen digits", "00000000000000005\r\nhello\r\n", .refused(.chunkSizeOverflow)),
        BodyVector("7.1 overflow of Int64", "8000000000000000\r\n", .refused(.chunkSizeOverflow)),
        BodyVector("7.1 largest of UInt64", "FFFFFFFFFFFFFFFF\r\n", .refused(.chunkSizeOverflow)),
        BodyVector("7.1 wraps to five", "10000000000000005\r\nhello\r\n", .refused(.chunkSizeOverflow)),
        BodyVector("7.1 no size", "\r\nhello\r\n", .refused(.malformedChunkSize)),
        BodyVector("7.1 extension without size", ";a\r\n", .refused(.malformedChunkSize)),
        BodyVector("7.1 prefix 0x", "0x5\r\nhello\r\n", .refused(.malformedChunkSize)),
        BodyVector("7.1 plus sign", "+5\r\nhello\r\n", .refused(.malformedChunkSize)),
        BodyVector("7.1 negative", "-5\r\nhello\r\n", .refused(.malformedChunkSize)),
        BodyVector("7.1 underscore", "1_0\r\n", .refused(.malformedChunkSize)),
        BodyVector("7.1 letter g", "5g\r\nhello\r\n", .refused(.malformedChunkSize)),
        BodyVector("7.1 space before", " 5\r\nhello\r\n", .refused(.malformedChunkSize)),
        BodyVector("7.1 space after", "5 \r\nhello\r\n", .refused(.malformedChunkSize)),
        BodyVector("7.1 tab after", "5\t\r\nhello\r\n", .refused(.malformedChunkSize)),
        BodyVector("7.1 two numbers", "5 5\r\nhello\r\n", .refused(.malformedChunkSize)),
        BodyVector("7.1 comma", "5,\r\nhello\r\n", .refused(.malformedChunkSize)),
        BodyVector("7.1 NUL after", "5\u{0}\r\nhello\r\n", .refused(.malformedChunkSize)),
        BodyVector("7.1 obs-text digit", "\u{B2}\r\nhe\r\n", .refused(.malformedChunkSize)),
        BodyVector("7.1 content longer than its size", "4\r\nhello\r\n0\r\n\r\n", .refused(.missingChunkEnd)),
        BodyVector("7.1 content shorter than its size", "6\r\nhello\r\n0\r\n\r\n", .refused(.bareLineFeed)),
    ]

    private static let lineEnds: [BodyVector] = [
        BodyVector("2.2 bare LF after the size", "5\nhello\r\n0\r\n\r\n", .refused(.bareLineFeed)),
        BodyVector("2.2 bare CR after the size", "5\rhello\r\n0\r\n\r\n", .refused(.bareCarriageReturn)),
        BodyVector("2.2 CR CR LF after the size", "5\r\r\nhello\r\n", .refused(.bareCarriageReturn)),
        BodyVector("2.2 bare LF after the content", "5\r\nhello\n0\r\n\r\n", .refused(.bareLineFeed)),
        BodyVector("2.2 bare CR after the content", "5\r\nhello\r0\r\n\r\n", .refused(.bareCarriageReturn)),
        BodyVector("2.2 nothing after the content", "5\r\nhello0\r\n\r\n", .refused(.missingChunkEnd)),
        BodyVector("2.2 bare LF after the last size", "0\n\r\n", .refused(.bareLineFeed)),
        BodyVector("2.2 bare LF at the end", "0\r\n\n", .refused(.bareLineFeed)),
        BodyVector("2.2 bare CR at the end", "0\r\n\rX", .refused(.bareCarriageReturn)),
        BodyVector("2.2 LF before the size", "\n5\r\nhello\r\n", .refused(.bareLineFeed)),
    ]

    private static func extended(_ count: Int) -> String { "1;" + String(repeating: "x", count: count) + "\r\n" }

    private static let extensions: [BodyVector] = [
        BodyVector("7.1.1 name", "5;a\r\nhello\r\n0\r\n\r\n", .decoded("hello")),
        BodyVector("7.1.1 name and value", "5;a=b;c=d\r\nhello\r\n0;e=f\r\n\r\n", .decoded("hello")),
        BodyVector("7.1.1 quoted", "5;a=\"b; c\\\"\u{E9}\"\r\nhello\r\n0\r\n\r\n", .decoded("hello")),
        BodyVector("7.1.1 white space", "5 \t; a = b\r\nhello\r\n0\r\n\r\n", .decoded("hello")),
        BodyVector("7.1.1 empty", "5;\r\nhello\r\n0\r\n\r\n", .decoded("hello")),
        BodyVector("7.1.1 bare LF", "5;a\nhello\r\n0\r\n\r\n", .refused(.bareLineFeed)),
        BodyVector("7.1.1 bare CR", "5;a\rb\r\nhello\r\n", .refused(.bareCarriageReturn)),
        BodyVector("7.1.1 LF in quotes", "5;a=\"\n\"\r\nhello\r\n", .refused(.bareLineFeed)),
        BodyVector("7.1.1 NUL", "5;a\u{0}\r\nhello\r\n", .refused(.malformedChunkExtension)),
        BodyVector("7.1.1 control", "5;\u{1B}\r\nhello\r\n", .refused(.malformedChunkExtension)),
        BodyVector("7.1.1 DEL", "5;\u{7F}\r\nhello\r\n", .refused(.malformedChunkExtension)),
        BodyVector("7.1.1 as long as a line may be", extended(4_096) + "y\r\n0\r\n\r\n", .decoded("y")),
        BodyVector("7.1.1 one longer", extended(4_097) + "y\r\n0\r\n\r\n", .refused(.chunkExtensionsTooLarge)),
        BodyVector(
            "7.1.1 endless white space", "1" + String(repeating: " ", count: 5_000),
            .refused(.chunkExtensionsTooLarge)),
        BodyVector(
            "7.1.1 long ones on tiny chunks", String(repeating: extended(4_000) + "y\r\n", count: 5),
            .refused(.chunkExtensionsTooLarge)),
        BodyVector(
            "7.1.1 short ones on many chunks", String(repeating: "2;ab\r\nyy\r\n", count: 20_000) + "0\r\n\r\n",
            .decoded(String(repeating: "yy", count: 20_000))),
    ]

    private static let trailers: [BodyVector] = [
        BodyVector("7.1.2 trailer", "1\r\nx\r\n0\r\nX-Sum: 1\r\n\r\n", .decoded("x")),
        BodyVector("7.1.2 trailers", "0\r\nA: b\r\nC:\td \r\nE:\r\n\r\n", .decoded("")),
        BodyVector(
            "7.1.2 framing fields change nothing", "0\r\nContent-Length: 9\r\nTransfer-Encoding: x\r\n\r\n",
            .decoded("")),
        BodyVector("7.1.2 obs-text", "0\r\nA: \u{E9}\r\n\r\n", .decoded("")),
        BodyVector("7.1.2 space before the colon", "0\r\nA : b\r\n\r\n", .refused(.spaceBeforeColon)),
        BodyVector("7.1.2 no colon", "0\r\nAb\r\n\r\n", .refused(.malformedFieldName)),
        BodyVector("7.1.2 empty name", "0\r\n: b\r\n\r\n", .refused(.malformedFieldName)),
        BodyVector("7.1.2 bad name", "0\r\nA(: b\r\n\r\n", .refused(.malformedFieldName)),
        BodyVector("7.1.2 obs-fold", "0\r\nA: b\r\n c\r\n\r\n", .refused(.foldedField)),
        BodyVector("7.1.2 NUL", "0\r\nA: \u{0}\r\n\r\n", .refused(.malformedFieldValue)),
        BodyVector("7.1.2 bare LF", "0\r\nA: b\n\r\n", .refused(.bareLineFeed)),
        BodyVector("7.1.2 bare CR", "0\r\nA: b\rC: d\r\n\r\n", .refused(.bareCarriageReturn)),
        BodyVector("7.1.2 a request instead", "0\r\nGET / HTTP/1.1\r\n\r\n", .refused(.spaceBeforeColon)),
        BodyVector(
            "7.1.2 endless value", "0\r\nA: " + String(repeating: "x", count: 17_000),
            .refused(.trailersTooLarge)),
        BodyVector(
            "7.1.2 endless lines", "0\r\n" + String(repeating: "A: b\r\n", count: 3_000),
            .refused(.trailersTooLarge)),
    ]
}

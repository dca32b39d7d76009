import Testing
import TokenManager

@Suite struct ParsingTests {
    @Test(
        "Retry-After is read in every form that HTTP allows",
        arguments: [
            ("0", 0), ("120", 120), (" 7 ", 7), ("99999999999999999999", 86_400), ("100000", 86_400),
            ("Sun, 06 Nov 1994 08:49:47 GMT", 10),
            ("Sun Nov  6 08:49:47 1994", 10), ("Sun, 06 Nov 1994 08:49:36 GMT", 0),
            ("Mon, 07 Nov 1995 08:49:37 GMT", 86_400), ("", nil), ("-1", nil), ("1.5", nil), ("soon", nil),
            ("Sun, 06 Nov 1994 08:49:47 CET", nil), ("Sun, 32 Nov 1994 08:49:47 GMT", nil),
            ("Sun, 06 Foo 1994 08:49:47 GMT", nil), ("Sun, 06 Nov 1994 24:49:47 GMT", nil),
            ("Sun, 06 Nov 1994 08:49 GMT", nil), ("a b c d e f", nil), ("a b c d GMT GMT", nil),
        ] as [(String, Int?)])
    func retryAfter(value: String, seconds: Int?) {
        // Sun, 06 Nov 1994 08:49:37 GMT is 784111777.
        #expect(RetryAfter.parse(value, unixTime: 784_111_777) == seconds.map { .seconds($0) })
    }

    @Test(
        "Dates are converted to seconds since 1970",
        arguments: [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600), ("Sunday, 01-Mar-26 00:00:00 GMT", 1_772_323_200),
            ("Fri, 31 Dec 2100 23:59:59 GMT", 4_133_980_799),
        ])
    func date(text: String, seconds: Int) {
        #expect(RetryAfter.secondsSince1970(text) == seconds)
    }

    @Test(
        "A JWT's times are read, whatever else it contains",
        arguments: [
            // {"iat":1000,"exp":4600}
            ("e30.eyJpYXQiOjEwMDAsImV4cCI6NDYwMH0.c2ln", 4600, 3600),
            // {"exp":"4600"}: a text, and no iat.
            ("e30.eyJleHAiOiI0NjAwIn0.c2ln", 4600, nil),
            // {"exp":1000,"iat":4600}: the wrong way round.
            ("e30.eyJleHAiOjEwMDAsImlhdCI6NDYwMH0.", 1000, nil),
            // {}
            ("e30.e30.c2ln", nil, nil),
        ] as [(String, Double?, Double?)])
    func jwt(text: String, end: Double?, life: Double?) throws {
        let token = try #require(JSONWebToken(text))
        #expect(token.expiresAt == end)
        #expect(token.life == life)
    }

    @Test(
        "A text that is not a JWT has no times",
        arguments: [
            "", "a", "a.b", "a.b.c", "..", ".e30.", "e30.e30", "e30.W10.c2ln", "e30.!!!.c2ln", "a.b.c.d", "e30..x",
        ])
    func noJWT(text: String) {
        #expect(JSONWebToken(text) == nil)
    }

    @Test(
        "A field's value has no control character and no space at its ends",
        arguments: [
            ("a", true), ("Bearer abc", true), ("a\tb", true), ("é", true), ("", false), (" a", false), ("a ", false),
            ("a\n", false), ("a\r\nb", false), ("a\u{0}b", false), ("a\u{7f}", false), ("\ta", false),
        ])
    func fieldValue(text: String, isOne: Bool) {
        #expect(FieldText.isFieldValue(text) == isOne)
    }

    @Test(
        "A field that frames a message, or an invalid one, carries no credential",
        arguments: [
            ("Authorization", "Bearer", nil), ("X-Api-Key", nil, nil),
            ("Content-Length", nil, "header Content-Length cannot carry a credential"),
            ("HOST", nil, "header HOST cannot carry a credential"),
            ("Proxy-Authorization", "Basic", "header Proxy-Authorization cannot carry a credential"),
            ("Max-Forwards", nil, "header Max-Forwards cannot carry a credential"),
            ("a b", nil, "header is not the name of a field"), ("", nil, "header is not the name of a field"),
            ("a:", nil, "header is not the name of a field"), ("X", "a b", "scheme is not one word"),
            ("X", "", "scheme is not one word"), ("X", "a\r\n", "scheme is not one word"),
        ] as [(String, String?, String?)])
    func field(name: String, scheme: String?, problem: String?) {
        #expect(FieldText.problem(field: name, scheme: scheme) == problem)
    }
}

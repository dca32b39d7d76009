import Testing
import TokenManager

@Suite struct TokenURLTests {
    @Test(
        "An address is taken apart and put together",
        arguments: [
            ("https://idp.test", "idp.test", 443, "/", "https://idp.test/"),
            ("HTTP://IDP.Test:8080/a/b?c=d", "idp.test", 8080, "/a/b?c=d", "http://idp.test:8080/a/b?c=d"),
            ("http://idp.test:80/", "idp.test", 80, "/", "http://idp.test/"),
            ("https://idp.test?x=1", "idp.test", 443, "/?x=1", "https://idp.test/?x=1"),
            ("https://[::1]:8443/t", "::1", 8443, "/t", "https://[::1]:8443/t"),
            ("http://127.0.0.1:1/", "127.0.0.1", 1, "/", "http://127.0.0.1:1/"),
        ] as [(String, String, UInt16, String, String)])
    func good(text: String, host: String, port: UInt16, path: String, whole: String) throws {
        let url = try TokenURL(text)
        #expect(url.host == host)
        #expect(url.port == port)
        #expect(url.path == path)
        #expect(url.description == whole)
    }

    @Test(
        "What is no address of a token server is refused without being repeated",
        arguments: [
            "", "idp.test", "ftp://idp.test/", "https://", "https:///path", "https://user:s3cret@idp.test/",
            "https://idp.test/#s3cret", "https://idp.test:0/", "https://idp.test:65536/", "https://idp.test:/",
            "https://idp.test:a/", "https://[::1/", "https://[idp]/", "https://[::1]x/", "https://a b/",
            "https://idp.test/a b", "https://idp.test/\r\n", "https://é.test/", "https://a%41/",
            "https://idp.test:1:2/",
        ])
    func bad(text: String) throws {
        do {
            _ = try TokenURL(text)
            Issue.record("it was accepted")
        } catch {
            #expect(!error.description.isEmpty)
            #expect(!error.description.contains("s3cret"))
        }
    }
}

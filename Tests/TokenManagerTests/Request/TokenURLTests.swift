import Testing
import TokenManager

@Suite struct TokenURLTests {
    @Test(
        "An address is parsed and written",
        arguments: [
            ("https://idp.test", "idp.test", 443, "/", "https://idp.test/"),
            ("HTTP://IDP.Test:8080/a/b?c=d", "idp.test", 8080, "/a/b?c=d", "http://idp.test:8080/a/b?c=d"),
            ("http://idp.test:80/", "idp.test", 80, "/", "http://idp.test/"),
            ("https://idp.test?x=1", "idp.test", 443, "/?x=1", "https://idp.test/?x=1"),
            ("https://[::1]:8443/t", "::1", 8443, "/t", "https://[::1]:8443/t"),
            ("http://127.0.0.1:1/", "127.0.0.1", 1, "/", "http://127.0.0.1:1/"),
            ("https://[0:0::ABCD]:00443/", "::abcd", 443, "/", "https://[::abcd]/"),
        ] as [(String, String, UInt16, String, String)])
    func good(text: String, host: String, port: UInt16, path: String, whole: String) throws {
        let url = try TokenURL(text)
        #expect(url.host == host)
        #expect(url.port == port)
        #expect(url.path == path)
        #expect(url.description == whole)
    }

    @Test("An address of the longest supported length is accepted, and a longer one is refused for its length")
    func length() throws {
        let name = String(repeating: "a.", count: 126) + "b"
        #expect(try TokenURL("https://\(name)/").host == name)
        let long = "https://idp.test/".padding(to: TokenURL.longest)
        #expect(try TokenURL(long).description == long)
        for (text, reason) in [
            (long + "a", "the URL is longer than 8000 bytes"),
            ("https://\(name)b/", "the URL's host is missing, too long, or not a host name"),
        ] {
            let error = #expect(throws: TokenURL.InvalidURL.self) { try TokenURL(text) }
            #expect(error?.description == reason)
        }
    }

    @Test(
        "A text that is not the address of a token server is refused without being quoted",
        arguments: [
            "", "idp.test", "ftp://idp.test/", "https://", "https:///path", "https://user:s3cret@idp.test/",
            "https://idp.test/#s3cret", "https://idp.test:0/", "https://idp.test:65536/", "https://idp.test:/",
            "https://idp.test:a/", "https://[::1/", "https://[idp]/", "https://[::1]x/", "https://a b/",
            "https://idp.test/a b", "https://idp.test/\r\n", "https://é.test/", "https://a%41/",
            "https://idp.test:1:2/", "https://idp.test./", "https://127.1/", "https://2130706433/",
            "https://idp..test/",
            "https://[:::]/", "https://[1:2]/", "https://idp.test:000443/", "https://::1/",
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

extension String {
    fileprivate func padding(to length: Int) -> String { self + String(repeating: "x", count: length - utf8.count) }
}

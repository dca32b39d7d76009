import ProxyCore
import Testing

@Suite struct PathPrefixTests {
    private func matches(_ prefix: String?, _ path: String) throws -> Bool {
        let table = RouteTable(routes: [.fixed(.exact("a.example"), path: prefix)], unmatched: .deny)
        return try decide(table, "http://a.example\(path)") == .route(0)
    }

    @Test(
        "A prefix matches whole segments",
        arguments: [
            ("/db", true), ("/db/", true), ("/db/x", true), ("/db?x", true), ("/db/?x", true), ("/db//x", true),
            ("/dbx", false), ("/d", false), ("/", false), ("", false), ("?x", false), ("/DB", false), ("//db", false),
            ("/db;x=1", false), ("/db%2Fx", false), ("/%64b", false), ("/x/db", false), ("/db.x", false),
            ("/x?/db", false), ("/db%", false), ("/db\\x", false),
        ])
    func segments(_ path: String, _ isMatch: Bool) throws {
        #expect(try matches("/db", path) == isMatch)
    }

    @Test(
        "A prefix that ends with a slash matches only paths below it",
        arguments: [
            ("/db/", true), ("/db/x", true), ("/db/?q", true), ("/db//", true), ("/db", false), ("/db?q", false),
            ("/dbx/", false),
        ])
    func trailingSlash(_ path: String, _ isMatch: Bool) throws {
        #expect(try matches("/db/", path) == isMatch)
    }

    @Test(
        "No prefix, or the root, matches every path",
        arguments: ["", "/", "?x", "/x", "/../x", "/%2e%2e/x", "//", "/x/..;/y"])
    func everyPath(_ path: String) throws {
        #expect(try matches(nil, path))
        #expect(try matches("/", path))
    }

    @Test(
        "A path that may lead out of the prefix does not match it",
        arguments: [
            "/db/..", "/db/../", "/db/../x", "/db/.", "/db/./x", "/db/x/..", "/db/x/../../y", "/db//..//x",
            "/db/%2e%2e/x", "/db/%2E%2E/x", "/db/.%2e/x", "/db/%2e./x", "/db/%2E", "/db/%2e/x",
            "/db%2f../x", "/db/x%2f..%2f..%2fy", "/db/x%2F%2e%2e", "/db/%2f../x", "/db/..%2fx", "/db/..%2Fx",
            "/db/..\\x", "/db/\\..\\x", "/db/x\\..\\y", "/db/..%5cx", "/db/%5c..%5cx", "/db/x%5C..", "/db/x\\%2e%2e",
            "/db/..;/x", "/db/..;a=b/x", "/db/..;", "/db/.;/x", "/db/%2e%2e;/x", "/db/..%3bx", "/db/..%3B/x",
            "/db/..%00", "/db/..%00/x", "/db/..%20/x", "/db/..%09", "/db/..%0d%0a/x", "/db/..%3fx", "/db/..?x",
            "/db/../?x", "/db/...", "/db/..../x", "/db/.%00./x",
        ])
    func dotSegments(_ path: String) throws {
        #expect(try !matches("/db", path))
        #expect(try !matches("/db/", path))
    }

    @Test(
        "Dots in a name or in the query do not lead out of it",
        arguments: [
            "/db/.well-known/x", "/db/..x", "/db/x..", "/db/x../y", "/db/.x", "/db/a.b/c..d", "/db/x?/../y",
            "/db/?..", "/db/x?a=/./", "/db/%2ewell-known", "/db/..%41", "/db/x%2fy", "/db/%", "/db/%2", "/db/%zz/x",
            "/db/.%2", "/db/..%2g", "/db/%252e%252e/x",
        ])
    func harmless(_ path: String) throws {
        #expect(try matches("/db", path))
        #expect(try matches("/db/", path))
    }

    @Test("A prefix of several segments needs all of them")
    func deep() throws {
        #expect(try matches("/a/b.c/d", "/a/b.c/d/e"))
        #expect(try !matches("/a/b.c/d", "/a/b.c/de"))
        #expect(try !matches("/a/b.c/d", "/a/b.c"))
        #expect(try !matches("/a/b.c/d", "/a/./b.c/d"))
        #expect(try !matches("/a/b.c/d", "/a/b.c/d/%2e%2e/x"))
    }
}

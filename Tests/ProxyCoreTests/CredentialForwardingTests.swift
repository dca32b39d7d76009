import ProxyCore
import Testing

@Suite struct CredentialForwardingTests {
    private let spellings = ["Authorization", "authorization", "AUTHORIZATION", "aUtHoRiZaTiOn"]

    @Test("The route's credential is the last line, in place of the app's")
    func replaced() throws {
        for name in spellings {
            let forwarded = try Forwarding().lines(
                head(["GET http://a.example/ HTTP/1.1", "Host: a", "\(name): Basic canary", "X: y"]))
            #expect(forwarded == ["X: y", viaLine, credentialLine])
        }
    }

    @Test("Every Authorization of the app is replaced, however many there are")
    func allReplaced() throws {
        let lines = try Forwarding().fields("Authorization: a", "X: y", "authorization: b", "Authorization:")
        #expect(lines == ["X: y", viaLine, credentialLine])
    }

    @Test("The app's own Authorization is kept where the route says so, and ours stays out")
    func kept() throws {
        for name in spellings {
            let request = head(["GET http://a.example/ HTTP/1.1", "Host: a", "\(name): Basic own", "X: y"])
            let (text, carriesOwn) = try Forwarding(keepsAuthorization: true).forward(request)
            #expect(carriesOwn)
            #expect(text == head(["GET / HTTP/1.1", "Host: backend.example", "\(name): Basic own", "X: y", viaLine]))
        }
    }

    @Test("A route that keeps the app's own attaches its credential to a request without one")
    func keptButAbsent() throws {
        #expect(try Forwarding(keepsAuthorization: true).fields("X: y") == ["X: y", viaLine, credentialLine])
    }

    @Test(
        "Naming the credential in Connection removes the app's field and never ours", arguments: [true, false])
    func named(_ keeps: Bool) throws {
        let lines = try Forwarding(keepsAuthorization: keeps).fields(
            "Connection: Authorization", "Authorization: Basic canary")
        #expect(lines == [viaLine, credentialLine])
        let key = try Forwarding(credential: "X-Api-Key", keepsAuthorization: keeps).fields(
            "Connection: x-api-key", "X-API-Key: canary")
        #expect(key == [viaLine, "X-Api-Key: \(Forwarding.token)"])
    }

    @Test("Another credential field replaces the app's in any case of letters, and its Authorization too")
    func otherField() throws {
        for name in ["X-Api-Key", "x-api-key", "X-API-KEY", "x-aPI-kEY"] {
            let lines = try Forwarding(credential: "X-Api-Key").fields(
                "\(name): canary", "X-Api-Key-2: stays", "Authorization: Basic canary", "\(name): canary")
            #expect(lines == ["X-Api-Key-2: stays", viaLine, "X-Api-Key: \(Forwarding.token)"])
        }
    }

    @Test("Another credential field of the app's own is kept where the route says so")
    func otherFieldKept() throws {
        let forwarding = Forwarding(credential: "X-Api-Key", keepsAuthorization: true)
        let request = head(["GET http://a.example/ HTTP/1.1", "Host: a", "x-api-key: own", "Authorization: Basic own"])
        let (text, carriesOwn) = try forwarding.forward(request)
        #expect(carriesOwn)
        #expect(
            text
                == head([
                    "GET / HTTP/1.1", "Host: backend.example", "x-api-key: own", "Authorization: Basic own", viaLine,
                ]))
        let authorizationAlone = try forwarding.fields("Authorization: Basic own")
        #expect(authorizationAlone == ["Authorization: Basic own", viaLine, "X-Api-Key: \(Forwarding.token)"])
    }

    @Test(
        "A credential may travel in a field that the parser knows by another meaning",
        arguments: ["Cookie", "Date", "Traceparent", "WWW-Authenticate", "X"])
    func unusualField(_ name: String) throws {
        let lines = try Forwarding(credential: name).fields("\(name.lowercased()): canary", "A: b")
        #expect(lines == ["A: b", viaLine, "\(name): \(Forwarding.token)"])
    }

    @Test("A route without a credential leaves the app's own alone", arguments: [true, false])
    func noCredential(_ keeps: Bool) throws {
        let request = head([
            "GET http://a.example/ HTTP/1.1", "Host: a", "Authorization: Basic own", "X-Api-Key: own",
            "Proxy-Authorization: Basic canary",
        ])
        let (text, carriesOwn) = try Forwarding(credential: nil, keepsAuthorization: keeps).forward(request)
        #expect(!carriesOwn)
        #expect(
            text
                == head([
                    "GET / HTTP/1.1", "Host: backend.example", "Authorization: Basic own", "X-Api-Key: own", viaLine,
                ]))
    }

    @Test("The credential of the connection to us never leaves", arguments: [true, false])
    func proxyAuthorization(_ keeps: Bool) throws {
        let lines = try Forwarding(keepsAuthorization: keeps).fields("Proxy-Authorization: Basic canary")
        #expect(lines == [viaLine, credentialLine])
    }
}

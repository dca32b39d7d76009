import EventTransport
import TokenClient

/// The steps of the demonstration, with their output.
struct DemoShow: Sendable {
    let tokenServer: SocketAddress
    let backend: SocketAddress
    let proxy: SocketAddress
    let gateway: SocketAddress
    let admin: SocketAddress?
    let client: LocalClient
    let tokenRequests: @Sendable () -> Int
    let print: @Sendable (String) -> Void

    private static let requestCount = 100

    private var url: String { "http://\(backend)/hello" }

    /// - Returns: Whether every step gave the expected result.
    func perform() async -> Bool {
        print("Everything below runs in this one process, on free ports of this machine:")
        print("")
        print("  token server  http://\(tokenServer)/token")
        print("  backend       \(url)   (accepts only tokens of that server)")
        print("  attache       http://\(proxy)        (proxy: for apps that use HTTP_PROXY)")
        print("                http://\(gateway)        (gateway to the backend: for apps that take a base URL)")
        print("")
        print("1. The app sends a request directly to the backend, without a token:")
        var isAsTold = await step("/hello", from: backend, expecting: 401)
        print("2. The app sends the same request through Attaché:")
        isAsTold = await step(url, from: proxy, expecting: 200) && isAsTold
        print("3. Another app, which cannot use a proxy, takes the gateway as its base URL:")
        isAsTold = await step("/hello", from: gateway, expecting: 200) && isAsTold
        print("4. And \(Self.requestCount) more:")
        var served = 0
        for _ in 0..<Self.requestCount {
            let answer = await client.get(url, host: "\(backend)", from: .tcp(proxy))
            if case .success(let answer) = answer, answer.status == 200 { served += 1 }
        }
        print("   \(served) of \(Self.requestCount) answered 200; tokens fetched so far: \(tokenRequests())")
        print("")
        isAsTold = isAsTold && served == Self.requestCount && tokenRequests() == 1
        print(
            isAsTold
                ? "All steps succeeded: no token in the app, one fetch for all requests." : "A step FAILED; see above.")
        return isAsTold
    }

    /// The commands to continue by hand.
    func invite() {
        print("")
        print("The proxy keeps running; try it:")
        print("")
        print("  curl \(url)")
        print("  curl -x http://\(proxy) \(url)")
        print("  curl http://\(gateway)/hello")
        if let admin {
            print("  curl http://\(admin)/readyz http://\(admin)/metrics")
            print("  a browser at http://\(admin)/, the status page")
        }
        print("")
        print("Ctrl-C ends it.")
    }

    private func step(_ target: String, from server: SocketAddress, expecting status: Int) async -> Bool {
        let via = server == proxy ? "   (proxy http://\(proxy))" : ""
        let isGateway = server == gateway
        print("   GET \(isGateway ? "http://\(gateway)\(target)" : url)\(via)")
        switch await client.get(target, host: "\(isGateway ? gateway : backend)", from: .tcp(server)) {
        case .success(let answer):
            let text = String(decoding: answer.body, as: UTF8.self).split(separator: "\n").first ?? ""
            print("   \(answer.status)  \(text)")
            print("")
            return answer.status == status
        case .failure(let failure):
            print("   no answer: \(failure.reason)")
            print("")
            return false
        }
    }
}

/// A script for two apps and four backends with the proxy between them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzExchanges(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = fuzzInput(start, count)
    // The fuzzer learns words from comparisons; what only the proxy and the bench may say is kept out of its mouth.
    for word in [ProxyBench.token, ProxyBench.key, ProxyBench.fetchedToken, echoMark]
    where bytes.firstIndex(of: Array(word)) != nil { return 0 }
    let clients = [FuzzClient(port: bench.port), FuzzClient(port: bench.port)]
    var isPiecewise = false
    for step in Step.script(bytes) {
        switch step {
        case .clientSends(let index, let bytes): pieces(bytes, isPiecewise, clients) { clients[index].send($0) }
        case .clientEnds(let index): clients[index].end()
        case .clientResets(let index): clients[index].reset()
        case .backendSends(let bytes): backendSends(bytes, isPiecewise, clients)
        case .backendEnds: bench.currentConnection?.socket.close(resetting: false)
        case .backendResets: bench.currentConnection?.socket.close(resetting: true)
        case .backendEchoes(let chunked):
            let answer = bench.currentConnection?.echo(chunked: chunked) ?? []
            backendSends(answer, isPiecewise, clients)
        case .backendEchoesHalf:
            let answer = bench.currentConnection?.echo(chunked: true) ?? []
            backendSends(Array(answer.dropLast(5)), isPiecewise, clients)
        case .backendSendsMuch: bench.currentConnection?.send(muchContent)
        case .clientTurnsLate(let index): clients[index].isLate.toggle()
        case .tokenComes: bench.tokens.answer()
        case .tokenFails: bench.tokens.fail()
        case .turnPiecewise: isPiecewise.toggle()
        }
        bench.settle(clients)
    }
    for client in clients { client.isLate = false }
    bench.settle(clients)
    Judge(clients, bench.backends).judge()
    bench.clear(clients)
    return 0
}

private func backendSends(_ bytes: [UInt8], _ isPiecewise: Bool, _ clients: [FuzzClient]) {
    guard let connection = bench.currentConnection else { return }
    pieces(bytes, isPiecewise, clients) { connection.send($0) }
}

private func pieces(_ bytes: [UInt8], _ isPiecewise: Bool, _ clients: [FuzzClient], _ send: ([UInt8]) -> Void) {
    guard isPiecewise else { return send(bytes) }
    for byte in bytes {
        send([byte])
        bench.settle(clients)
    }
}

private let muchContent =
    Array("HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n") + Array(repeating: UInt8(ascii: "m"), count: 20_000)

/// Used on the fuzzer's only thread.
private nonisolated(unsafe) let bench: ProxyBench = {
    do {
        return try ProxyBench()
    } catch {
        fail("the proxy does not start: \(error)")
    }
}()

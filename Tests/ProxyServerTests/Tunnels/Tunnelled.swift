import Support
import Testing

/// The layouts and steps of tests with tunnels.
extension Layout {
    /// The scene's route opens tunnels to its backend.
    static func tunnelling(limits: [String] = [], gracePeriod: String = "30s") -> Layout {
        Layout(route: ["connect: tunnel"], limits: limits, gracePeriod: gracePeriod)
    }
}

extension Scene {
    /// A client behind its CONNECT to the backend, which was answered with 200.
    func tunnel(_ early: String = "", receiveBuffer: Int32? = nil) throws -> RawClient {
        let client = try client(receiveBuffer: receiveBuffer)
        try client.send("CONNECT \(backend.authority) HTTP/1.1\r\nHost: \(backend.authority)\r\n\r\n\(early)")
        let response = try client.response(to: "CONNECT")
        #expect(response.status == 200, "\(response)")
        #expect(response.fields["Content-Length"] == nil && response.fields["Transfer-Encoding"] == nil)
        return client
    }
}

extension Scripts {
    /// Sends back what it receives, until the peer ends.
    static let mirror: ScriptedServer.Script = { connection in
        while true {
            let bytes = try connection.receiveSome()
            if bytes.isEmpty { return }
            try connection.send(bytes)
        }
    }
}

extension ScriptedConnection {
    /// Passes bytes both ways between the peer and a port of this machine, until both have ended.
    package func relay(toPort port: UInt16) throws {
        let server = try BlockingSocket(port: port)
        defer { server.close() }
        let back = BackgroundThread("relay") { [socket] in
            while let bytes = try? server.receive(), !bytes.isEmpty {
                guard (try? socket.send(bytes)) != nil else { break }
            }
            socket.endWriting()
        }
        while let bytes = try? receiveSome(), !bytes.isEmpty {
            guard (try? server.send(bytes)) != nil else { break }
        }
        server.endWriting()
        try back.join()
    }
}

extension ScriptedServer {
    /// A proxy that opens a tunnel for every request; all tunnels lead to one port of this machine.
    package static func tunnels(toPort port: UInt16) throws -> ScriptedServer {
        try ScriptedServer { connection in
            _ = try connection.head()
            try connection.send("HTTP/1.1 200 Connection established\r\n\r\n")
            try connection.relay(toPort: port)
        }
    }
}

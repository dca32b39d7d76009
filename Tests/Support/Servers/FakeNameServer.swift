import Glibc

/// A name server on 127.0.0.1, UDP and TCP on one port, that knows a few names, with the files that lead a resolver to it.
///
/// It answers with addresses of the loopback network only. Answers that do not fit a datagram are truncated.
package final class FakeNameServer: Sendable {
    /// What it answers for a name; nil for nothing at all.
    package struct Entry: Sendable {
        var v4: [[UInt8]]?
        var v6: [[UInt8]]?
        var ttl: UInt32
        /// The low half of the header's fourth byte, such as 2 for SERVFAIL.
        var code: UInt8

        package init(v4: [[UInt8]]? = [], v6: [[UInt8]]? = [], ttl: UInt32 = 60, code: UInt8 = 0) {
            self.v4 = v4
            self.v6 = v6
            self.ttl = ttl
            self.code = code
        }

        /// Neither kind is answered.
        package static let silent = Entry(v4: nil, v6: nil)
    }

    package let port: UInt16
    package let configurationFile: String
    package let hostsFile: String
    private let descriptor: Int32
    private let listener: ListeningSocket
    private let names: Monitor<[String: Entry]>
    private let received: Monitor<[DNSQuestion]>
    private let late: Monitor<(answer: [UInt8], address: sockaddr_in)?>
    private let threads: [BackgroundThread]

    /// Listens at once, and knows `names`, which are in lower case; others do not exist.
    ///
    /// A silent one never answers, one that does not know EDNS refuses questions that have an OPT record, and a late question
    /// ("a.test AAAA") waits for `answerLate()`. The options are lines of the resolver's configuration.
    package init(
        _ names: [String: Entry] = [:], hosts: String = "", options: String = "search search.test\noptions ndots:1\n",
        isSilent: Bool = false, knowsEDNS: Bool = true, lateQuestion: String? = nil
    ) throws {
        let (listener, descriptor) = try Self.bindBoth()
        self.listener = listener
        self.descriptor = descriptor
        port = listener.port
        configurationFile = try Self.write("nameserver 127.0.0.1:\(listener.port)\n\(options)")
        hostsFile = try Self.write(hosts)
        let names = Monitor(names)
        self.names = names
        let received = Monitor<[DNSQuestion]>([])
        self.received = received
        let late = Monitor<(answer: [UInt8], address: sockaddr_in)?>(nil)
        self.late = late
        let reply: @Sendable (DNSQuestion) -> [UInt8]? = { question in
            received.access { $0.append(question) }
            return isSilent ? nil : question.answer(names.access { $0[question.name] }, knowsEDNS: knowsEDNS)
        }
        let datagrams = BackgroundThread("of a name server's datagrams") {
            while let (query, from) = Self.receive(descriptor) {
                let port = UInt16(bigEndian: from.sin_port)
                guard let question = DNSQuestion(query, port: port, isTCP: false), let answer = reply(question) else {
                    continue
                }
                if question.text == lateQuestion {
                    late.access { $0 = (answer, from) }
                } else {
                    Self.send(answer, from: descriptor, to: from)
                }
            }
        }
        let streams = BackgroundThread("of a name server's streams") {
            while let stream = listener.accept() {
                try? Self.serve(stream, reply)
                stream.close()
            }
        }
        threads = [datagrams, streams]
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        listener.interrupt()
        for thread in threads { try? thread.join() }
        close(descriptor)
        unlink(configurationFile)
        unlink(hostsFile)
    }

    /// What was asked, in the order of arrival.
    package var questions: [DNSQuestion] { received.access { $0 } }

    /// Waits until the questions satisfy a condition.
    package func wait(_ what: String, until condition: ([DNSQuestion]) -> Bool) throws {
        _ = try received.wait(what) { condition($0) ? true : nil }
    }

    /// Changes what it answers for a name; nil if the name does not exist any more.
    package func set(_ name: String, _ entry: Entry?) { names.access { $0[name] = entry } }

    /// Gives the answer that was held back, once it was asked for.
    package func answerLate() throws {
        let (answer, address) = try late.wait("the late question is asked") { held in
            defer { held = nil }
            return held
        }
        Self.send(answer, from: descriptor, to: address)
    }

    /// Puts another hosts file in the place of the first.
    package func replaceHosts(_ text: String) throws { rename(try Self.write(text), hostsFile) }

    /// Leads the resolver of this server's configuration to another server.
    package func replaceConfiguration(_ text: String) throws { rename(try Self.write(text), configurationFile) }

    // MARK: Sockets

    private static func bindBoth() throws -> (ListeningSocket, Int32) {
        while true {
            let listener = try ListeningSocket()
            let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { throw SocketError("socket", errno) }
            var address = sockaddr_in.loopback(port: listener.port)
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if result == 0 { return (listener, descriptor) }
            let code = errno
            close(descriptor)
            // Somebody else has the port for datagrams.
            guard code == EADDRINUSE else { throw SocketError("bind", code) }
        }
    }

    private static func receive(_ descriptor: Int32) -> (query: [UInt8], from: sockaddr_in)? {
        var buffer = [UInt8](repeating: 0, count: 512)
        var from = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = withUnsafeMutableBytes(of: &from) {
            recvfrom(descriptor, &buffer, 512, 0, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
        }
        return count > 0 ? (Array(buffer.prefix(count)), from) : nil
    }

    private static func send(_ answer: [UInt8], from descriptor: Int32, to address: sockaddr_in) {
        _ = withUnsafeBytes(of: address) {
            sendto(
                descriptor, answer, answer.count, 0, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t($0.count))
        }
    }

    /// Each message follows its length in two bytes (RFC 1035 section 4.2.2).
    private static func serve(_ stream: BlockingSocket, _ reply: (DNSQuestion) -> [UInt8]?) throws {
        var bytes: [UInt8] = []
        while true {
            let more = try stream.receive()
            if more.isEmpty { return }
            bytes += more
            while bytes.count >= 2, case let count = Int(bytes[0]) << 8 | Int(bytes[1]), bytes.count >= 2 + count {
                let query = Array(bytes[2..<2 + count])
                bytes.removeFirst(2 + count)
                guard let question = DNSQuestion(query, port: 0, isTCP: true), let answer = reply(question) else {
                    continue
                }
                try stream.send([UInt8(answer.count >> 8), UInt8(answer.count & 0xff)] + answer)
            }
        }
    }

    private static func write(_ text: String) throws -> String {
        var template = Array("/tmp/attache-resolver-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw SocketError("mkstemp", errno) }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw SocketError("write", errno) }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

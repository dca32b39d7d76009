/// What the kernel holds of TCP streams between sockets of this machine.
package enum KernelQueues {
    /// The bytes on established connections that were sent to this port and not yet taken by its owner.
    ///
    /// Bytes that are not yet acknowledged may be counted twice.
    package static func bytes(toPort port: UInt16) -> Int {
        var sum = 0
        for line in TemporaryDirectory.read("/proc/self/net/tcp").split(separator: "\n").dropFirst() {
            let columns = line.split(separator: " ")
            guard columns.count > 4, columns[3] == "01" else { continue }
            let queues = columns[4].split(separator: ":").map { Int($0, radix: 16) ?? 0 }
            if Self.port(columns[2]) == port { sum += queues[0] }
            if Self.port(columns[1]) == port { sum += queues[1] }
        }
        return sum
    }

    /// The bytes that the owner of this port has sent on established connections and the other ends have not taken yet.
    package static func bytes(fromPort port: UInt16) -> Int {
        var sum = 0
        for line in TemporaryDirectory.read("/proc/self/net/tcp").split(separator: "\n").dropFirst() {
            let columns = line.split(separator: " ")
            guard columns.count > 4, columns[3] == "01", Self.port(columns[2]) == port else { continue }
            sum += columns[4].split(separator: ":").last.flatMap { Int($0, radix: 16) } ?? 0
        }
        return sum
    }

    private static func port(_ address: Substring) -> UInt16? {
        address.split(separator: ":").last.flatMap { UInt16($0, radix: 16) }
    }
}

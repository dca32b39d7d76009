import Glibc
import Support

/// A thread of a default transport, as the system shows it.
struct ClientThread {
    private let status: [Substring]

    static var all: [ClientThread] {
        guard let directory = opendir("/proc/self/task") else { return [] }
        defer { closedir(directory) }
        var found: [ClientThread] = []
        while let entry = readdir(directory) {
            let number = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            let status = TemporaryDirectory.read("/proc/self/task/\(number)/status").split(separator: "\n")
            if status.contains("Name:\ttoken-client") { found.append(ClientThread(status: status)) }
        }
        return found
    }

    func blocks(_ signal: Int32) -> Bool {
        let line = status.first { $0.hasPrefix("SigBlk:") }
        let mask = line.flatMap { UInt64($0.dropFirst(7).filter { $0 != "\t" }, radix: 16) } ?? 0
        return mask & 1 << (signal - 1) != 0
    }
}

import Glibc

/// The resources that the process uses, as the kernel counts them; nil if `/proc` cannot be read.
package struct ProcessUsage: Sendable {
    package let cpuNanoseconds: UInt64
    package let residentMemoryByteCount: Int?
    package let virtualMemoryByteCount: Int?
    /// In whole seconds since 1970.
    package let startTime: Int64?
    package let openDescriptorCount: Int?
    package let descriptorLimit: Int?

    /// Reads the current values of this process.
    package init() {
        cpuNanoseconds = UInt64(max(0, Self.nanoseconds(CLOCK_PROCESS_CPUTIME_ID)))
        let memory = Self.fields(of: "/proc/self/statm")
        let pageSize = sysconf(Int32(_SC_PAGESIZE))
        virtualMemoryByteCount = memory.first.flatMap { Int($0) }.map { $0 * pageSize }
        residentMemoryByteCount = memory.dropFirst().first.flatMap { Int($0) }.map { $0 * pageSize }
        startTime = Self.startTime
        openDescriptorCount = DescriptorLimit.openCount
        descriptorLimit = DescriptorLimit.current
    }

    /// Computed once, because the wall clock may be set later.
    ///
    /// Not from `btime` in `/proc/stat`, which a service with ProcSubset=pid cannot read.
    private static let startTime: Int64? = {
        // Field 3 follows the name, which may contain any byte but ends with the last parenthesis (proc_pid_stat(5)).
        let stat = text(of: "/proc/self/stat")
        guard let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        let ticksPerSecond = Int64(sysconf(Int32(_SC_CLK_TCK)))
        guard fields.count > 19, let ticks = Int64(fields[19]), ticksPerSecond > 0 else { return nil }
        let age = nanoseconds(CLOCK_BOOTTIME) / 1_000_000_000 - ticks / ticksPerSecond
        return nanoseconds(CLOCK_REALTIME) / 1_000_000_000 - age
    }()

    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        // SAFETY: the structure is lent for the call.
        _ = unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private static func fields(of path: String) -> [Substring] {
        text(of: path).split { $0 == " " || $0 == "\n" }
    }

    /// The first bytes of a file in `/proc`, which hold it completely; empty if it cannot be read.
    private static func text(of path: String) -> String {
        // SAFETY: the path is a Swift string bridged for the call.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        // SAFETY: the array has room for as many bytes as are asked for.
        let count = unsafe read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}

extension EventLoop {
    /// How many processors are online, which is the number of loops.
    package static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}

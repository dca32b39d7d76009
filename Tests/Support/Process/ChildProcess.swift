import Glibc

/// A program started by a test, with its output in files.
///
/// Whoever starts one ends it with `kill`.
package final class ChildProcess: Sendable {
    package enum End: Equatable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    package let identifier: Int32
    private let outputPath: String
    private let errorPath: String
    private let end: Monitor<End?>

    package init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:], in directory: TemporaryDirectory
    )
        throws
    {
        let outputPath = directory.file("stdout-\(UInt32.random(in: 0...UInt32.max))")
        let errorPath = directory.file("stderr-\(UInt32.random(in: 0...UInt32.max))")
        self.outputPath = outputPath
        self.errorPath = errorPath
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, outputPath, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errorPath, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        // A socket of another test that the program inherited would stay open behind that test's back.
        for descriptor: Int32 in 3..<1024 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A test runner may ignore SIGPIPE or block signals; the program must not inherit that.
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var argv: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        var envp: [UnsafeMutablePointer<CChar>?] =
            environment.merging(Self.inherited) { mine, _ in mine }.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            for pointer in argv + envp { free(pointer) }
        }
        var identifier = pid_t()
        let result = posix_spawn(&identifier, path, &actions, &attributes, &argv, &envp)
        guard result == 0 else { throw SocketError("spawn \(path)", result) }
        self.identifier = identifier
        let end = Monitor<End?>(nil)
        self.end = end
        let child = identifier
        _ = BackgroundThread("wait for a child") {
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0 && errno == EINTR {}
            let signal = status & 0x7F
            end.access { $0 = signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal: signal) }
        }
    }

    package var output: String { TemporaryDirectory.read(outputPath) }
    package var errors: String { TemporaryDirectory.read(errorPath) }

    package var isRunning: Bool { end.access { $0 == nil } }

    /// Sends a signal, unless the program has ended.
    package func signal(_ signal: Int32) {
        end.access { if $0 == nil { Glibc.kill(identifier, signal) } }
    }

    /// Whether a signal was sent that the program has not taken yet.
    package func hasPending(_ signal: Int32) -> Bool {
        let lines = TemporaryDirectory.read("/proc/\(identifier)/status").split(separator: "\n")
        let sets = lines.filter { $0.hasPrefix("SigPnd:") || $0.hasPrefix("ShdPnd:") }
        return sets.contains { line in
            line.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) }.map { $0 >> (signal - 1) & 1 == 1 }
                ?? false
        }
    }

    /// Waits for the end of the program.
    package func waitForEnd() throws -> End {
        try end.wait("the program ends; it said: \(errors)") { $0 }
    }

    /// Ends the program at once if it still runs.
    package func kill() {
        signal(SIGKILL)
        _ = try? waitForEnd()
    }

    /// What the descriptors stand for that the program has open, such as `socket:[4711]`, in the order of their numbers.
    package var descriptors: [String] {
        guard let directory = opendir("/proc/\(identifier)/fd") else { return [] }
        defer { closedir(directory) }
        var found: [Int32: String] = [:]
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let number = Int32(name) else { continue }
            var target = [CChar](repeating: 0, count: 256)
            let count = readlink("/proc/\(identifier)/fd/\(name)", &target, target.count)
            found[number] = String(decoding: target[..<max(0, count)].map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        return found.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    }

    /// A value of `/proc/…/status`: of the process, such as VmHWM in KiB, or of its first thread.
    package func status(_ name: String) -> Int? {
        for line in TemporaryDirectory.read("/proc/\(identifier)/status").split(separator: "\n")
        where line.hasPrefix("\(name):") {
            return Int(line.filter(\.isNumber))
        }
        return nil
    }

    /// What the dynamic loader and the sanitizers need; nothing that configures the program.
    private static var inherited: [String: String] {
        var values: [String: String] = [:]
        for name in ["PATH", "LD_LIBRARY_PATH", "HOME", "TSAN_OPTIONS", "ASAN_OPTIONS"] {
            if let value = getenv(name) { values[name] = String(cString: value) }
        }
        // By default the address sanitizer keeps 256 MiB of freed memory back, and the thread sanitizer all that it notes of
        // memory, which would hide how much a program takes.
        for (name, option) in ["ASAN_OPTIONS": "quarantine_size_mb=8", "TSAN_OPTIONS": "flush_memory_ms=1000"] {
            values[name] = values[name].map { "\($0):\(option)" } ?? option
        }
        return values
    }
}

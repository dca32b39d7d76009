import Glibc

/// What descriptors this process has.
enum Descriptors {
    /// The numbers that are open now.
    static var open: [Int] {
        var numbers: [Int] = []
        for number in 0..<1024 where fcntl(Int32(number), F_GETFD) >= 0 { numbers.append(number) }
        return numbers
    }

    /// How many sockets are open; unlike other kinds, nothing but the test itself makes any.
    static var socketCount: Int {
        open.count { number in
            var kind: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(Int32(number), SOL_SOCKET, SO_TYPE, &kind, &length) == 0
        }
    }

    /// Takes all descriptors that the limit leaves, for as long as the result is kept.
    static func takeAll() -> [RawPeer] {
        var taken: [RawPeer] = []
        while case let number = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC), number >= 0 {
            taken.append(RawPeer(number))
        }
        return taken
    }

    /// Sets the limit for new ones and returns the former limit.
    static func limit(to count: Int) -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let former = Int(limit.rlim_cur)
        limit.rlim_cur = rlim_t(count)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return former
    }
}

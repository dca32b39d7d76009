import Glibc

/// What descriptors this process has.
enum Descriptors {
    /// The numbers that are open now.
    static var open: [Int] {
        var numbers: [Int] = []
        for number in 0..<1024 where fcntl(Int32(number), F_GETFD) >= 0 { numbers.append(number) }
        return numbers
    }

    /// The number that the next one gets.
    static var lowestFree: Int { (0..<1024).first { fcntl(Int32($0), F_GETFD) < 0 } ?? 0 }

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

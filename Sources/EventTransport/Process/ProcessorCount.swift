import Glibc

extension EventLoop {
    /// How many processors are online, which is the number of loops.
    package static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}

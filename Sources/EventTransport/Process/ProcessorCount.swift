import Glibc

extension EventLoop {
    /// How many processors are online, for as many loops.
    package static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}

package struct Socket: ~Copyable {
    package let peer: SocketAddress?
    let descriptor: Int32
    package init(owning descriptor: Int32, peer: SocketAddress? = nil) {
        self.descriptor = descriptor
        self.peer = peer
    }
    deinit {}
}

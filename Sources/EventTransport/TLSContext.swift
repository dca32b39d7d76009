package final class TLSContext {
    package init(caFile: String?) throws(TransportError) { fatalError("stub") }
}

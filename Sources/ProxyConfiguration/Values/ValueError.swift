/// Why a text is not the value that a setting wants: what is wrong; what to do.
///
/// It does not quote the text, which may be a secret; whoever reports it does.
struct ValueError: Error, Equatable {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}

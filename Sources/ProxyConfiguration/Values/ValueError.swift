/// The reason why a text is not a value of a setting, and what to do.
///
/// It does not quote the text, which may be a secret; the caller adds the quotation.
struct ValueError: Error, Equatable {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}

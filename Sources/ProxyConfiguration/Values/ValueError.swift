/// Why a text is not the value that a setting wants: what is wrong; what to do.
///
/// It never quotes the text.
struct ValueError: Error, Equatable {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}

package import HTTPWire

/// The errors of a backend that broke the connection or the rules of HTTP, with what to do about them.
extension ProxyError {
    /// The backend's connection ended too early; `what` names the backend and what happened.
    package init(terminated what: String) {
        self.init(
            .connectionTerminated, "\(what); look at the backend's log, and repeat the request only if it may run twice"
        )
    }

    /// The backend `name` sent something other than HTTP; `reason` is a sentence that says what.
    package init(malformed error: MessageError, _ reason: String, from name: String) {
        let advice =
            switch error {
            case .tooManyFields, .headTooLarge: "Let the backend send less, or raise the limit."
            default: "Correct the backend, or the proxy between it and attache."
            }
        self.init(.malformedResponse, "The response of \(name) is not valid HTTP/1.1: \(reason) \(advice)")
    }
}

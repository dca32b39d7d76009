/// How a client proves to the token server who it is (RFC 6749 section 2.3.1).
public enum ClientAuthentication: String, Sendable, Hashable, CaseIterable {
    /// HTTP Basic of the form-encoded client identifier and secret, with %20 for a space: what the RFC says.
    case basic
    /// HTTP Basic of client identifier and secret as they are: what many servers expect.
    case basicRaw
    /// `client_id` and `client_secret` in the body.
    case post
}
